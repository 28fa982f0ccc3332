#!/bin/sh
# The .c and the .cu file of a body of supersteps must define the same of WEIR_STEPS_EPILOGUE and WEIR_STEPS_NO_RESET: the
# one calls a loader by a name that the other defines only then.
. "$(dirname "$0")/templates.sh"

# loader FILE WAY: the name of the loader in a file that says: none, epilogue, no_reset or both.
loader() {
    {
        echo '#include "tests/lib/arrays_body.h"'
        echo '#define WEIR_STEPS arrays'
        case $2 in epilogue | both) echo '#define WEIR_STEPS_EPILOGUE' ;; esac
        case $2 in no_reset | both) echo '#define WEIR_STEPS_NO_RESET' ;; esac
        case $1 in
        c) echo '#include "worklist/steps_host_tmpl.h"' ;;
        cu) echo '#include "worklist/steps_cuda_tmpl.cuh"' ;;
        esac
    } >"$ROOM/file.$1"
    case $1 in
    c) preprocess -x c "$ROOM/file.c" ;;
    cu) preprocess -x c++ -D__CUDACC__ "$ROOM/file.cu" ;;
    esac | grep -o 'weir__arrays_load[A-Za-z_]*' | sort -u
}

for c in none epilogue no_reset both; do
    for cu in none epilogue no_reset both; do
        wanted=$(loader c $c)
        there=$(loader cu $cu)
        agree=no
        [ "$wanted" = "$there" ] && agree=yes
        should=no
        [ $c = $cu ] && should=yes
        if [ -n "$wanted" ] && [ -n "$there" ] && [ $agree = $should ]; then
            passed
        else
            failed "a .c file with $c wants $wanted, a .cu file with $cu has $there"
        fi
    done
done
finish
