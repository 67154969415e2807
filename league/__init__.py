"""The league: what to play next and what the results mean.

Pure parts (numbers in, numbers out): `blocks` (the unit of statistics), `elo`, `official`,
`ranking`, `standings`, `reports`, `sequential`, `gate`, `schedule`, `matchmaking`, `adaptive`,
`planner`, `fairness`. What touches the database, Celery or a clock is in the other modules.
"""
