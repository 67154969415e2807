"""Commands of an operator: start a league or its parts, and look after the database."""
