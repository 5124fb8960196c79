#!/bin/sh
# under_mpirun.sh RANKS PROGRAM [ARGUMENT...]: starts the program under mpirun, or skips (exit 77) where there is none.
ranks=$1
shift
if ! command -v mpirun >/dev/null 2>&1; then
  echo "skipped: no mpirun in PATH; install openmpi-bin"
  exit 77
fi
# As root in containers, and with more ranks than cores.
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 exec mpirun --oversubscribe --bind-to none -n "$ranks" "$@"
