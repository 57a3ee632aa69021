#!/bin/sh
# Stands for a C++ compiler: notes its arguments in $FAKE_COMPILER_LOG, fails where they contain
# $FAKE_COMPILER_FAILS_ON, and else compiles fake_hook.c into what follows -o; into something that
# cannot be loaded where they contain $FAKE_COMPILER_UNLOADABLE_ON.
# $FAKE_COMPILER_TELLS_TMPDIR: notes its TMPDIR first.
echo "${FAKE_COMPILER_TELLS_TMPDIR:+$TMPDIR }$*" >>"$FAKE_COMPILER_LOG"
if [ -n "$FAKE_COMPILER_FAILS_ON" ]; then
  case "$*" in
    *$FAKE_COMPILER_FAILS_ON*)
      echo "torch_ops.cpp:7:1: error: this PyTorch is not like that" >&2
      exit 1
      ;;
  esac
fi
[ -z "$FAKE_COMPILER_SLOW" ] || sleep "$FAKE_COMPILER_SLOW"
undefined=
if [ -n "$FAKE_COMPILER_UNLOADABLE_ON" ]; then
  case "$*" in *$FAKE_COMPILER_UNLOADABLE_ON*) undefined=-DUNDEFINED ;; esac
fi
while [ "$1" != -o ]; do shift; done
exec "${CC:-cc}" $undefined -shared -fPIC -Wl,-z,now -o "$2" "$(dirname "$0")/fake_hook.c"
