"""The league: what to play next and what the results mean.

Its rooms, in the order in which they may use one another: `schedule`, `ratings`, `bots`, `live`,
`notices`, `matches`, `seasons`, `ladder`, `gate`, `submissions`, `authors`, `worker`, `local`; the
modules beside them are shared. docs/architecture.md draws them.
"""
