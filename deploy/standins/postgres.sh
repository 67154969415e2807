#!/bin/sh
# What the official image does at its first start, and no more: a cluster, one user, one database,
# and the scripts of /docker-entrypoint-initdb.d.
set -eu
programs=$(ls -d /usr/lib/postgresql/*/bin)
export PATH="$programs:$PATH"
data=${PGDATA:-/var/lib/postgresql/data}
user=${POSTGRES_USER:-postgres}
name=${POSTGRES_DB:-$user}
as_server() { setpriv --reuid=postgres --regid=postgres --init-groups "$@"; }
mkdir -p "$data" /run/postgresql
chown postgres:postgres "$data" /run/postgresql
chmod 700 "$data"
if [ ! -s "$data/PG_VERSION" ]; then
  printf '%s' "${POSTGRES_PASSWORD:-$(cat "$POSTGRES_PASSWORD_FILE")}" >/tmp/password
  chown postgres /tmp/password
  # Beside it and renamed at the end: a start that is broken off begins again.
  rm -rf "$data/new"
  as_server initdb --username="$user" --pwfile=/tmp/password --encoding=UTF8 \
    --locale=C.UTF-8 --auth-local=trust --auth-host=scram-sha-256 "$data/new"
  rm /tmp/password
  echo "host all all all scram-sha-256" >>"$data/new/pg_hba.conf"
  # On its socket only, until all is there.
  as_server pg_ctl -D "$data/new" -w -o "-c listen_addresses=''" start
  if [ "$name" != postgres ]; then
    as_server createdb --username="$user" "$name"
  fi
  for script in /docker-entrypoint-initdb.d/*.sh; do
    [ ! -e "$script" ] || as_server sh "$script"
  done
  as_server pg_ctl -D "$data/new" -w -m fast stop
  mv "$data/new"/[!P]* "$data"
  mv "$data/new"/PG_VERSION "$data"
  rmdir "$data/new"
fi
exec setpriv --reuid=postgres --regid=postgres --init-groups \
  postgres -D "$data" -c listen_addresses='*' "$@"
