#!/bin/sh
# What the official image does at its first start, and no more: a cluster, one user, one database.
set -eu
programs=$(ls -d /usr/lib/postgresql/*/bin)
data=${PGDATA:-/var/lib/postgresql/data}
as_server() { setpriv --reuid=postgres --regid=postgres --init-groups "$@"; }
mkdir -p "$data" /run/postgresql
chown postgres:postgres "$data" /run/postgresql
chmod 700 "$data"
if [ ! -s "$data/PG_VERSION" ]; then
  printf '%s' "$POSTGRES_PASSWORD" >/tmp/password
  chown postgres /tmp/password
  # Beside it and renamed at the end: a start that is broken off begins again.
  rm -rf "$data/new"
  as_server "$programs/initdb" --username="$POSTGRES_USER" --pwfile=/tmp/password --encoding=UTF8 \
    --locale=C.UTF-8 --auth-local=trust --auth-host=scram-sha-256 "$data/new"
  rm /tmp/password
  echo "host all all all scram-sha-256" >>"$data/new/pg_hba.conf"
  echo "CREATE DATABASE \"$POSTGRES_DB\";" |
    as_server "$programs/postgres" --single -D "$data/new" postgres
  mv "$data/new"/[!P]* "$data"
  mv "$data/new"/PG_VERSION "$data"
  rmdir "$data/new"
fi
exec setpriv --reuid=postgres --regid=postgres --init-groups \
  "$programs/postgres" -D "$data" -c listen_addresses='*' "$@"
