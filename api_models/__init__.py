"""What page, API, tables and command line share: the states, and the API's models.

It imports pydantic alone, so that whoever only talks to a league installs no server.
"""
