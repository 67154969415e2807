#!/bin/sh
# Runs once, when PostgreSQL starts with an empty folder: the league's role, which owns its database
# and is no superuser, and the workers' role. Passwords come from files and are in no command line.
set -eu
league=$(cat /run/secrets/league_password)
worker=$(cat /run/secrets/worker_password)
psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname postgres <<END
\set league '$league'
\set worker '$worker'
CREATE ROLE bullring LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'league';
CREATE ROLE bullring_worker LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'worker';
CREATE DATABASE bullring OWNER bullring;
END
