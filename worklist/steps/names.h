/** @file names.h  How the templates of supersteps name what a body is made of: for steps_host_tmpl.h and
 * steps_cuda_tmpl.cuh, which the .c and the .cu file of a body include.
 *
 * What both files must agree on stands in the name of the loader, which one defines and the other calls: where they
 * do not, the linker misses a name that says what the .cu file has to define. */
#ifndef WEIR_WORKLIST_STEPS_NAMES_H
#define WEIR_WORKLIST_STEPS_NAMES_H

#define WEIR_STEPS_PASTE__(a, b, c)     a##b##c
#define WEIR_STEPS_PASTE_(a, b, c)      WEIR_STEPS_PASTE__(a, b, c)
#define WEIR_STEPS_NAME(prefix, suffix) WEIR_STEPS_PASTE_(prefix, WEIR_STEPS, suffix)

#if defined WEIR_STEPS_EPILOGUE && defined WEIR_STEPS_NO_RESET
#define WEIR_STEPS_LOAD \
    WEIR_STEPS_NAME(weir__, _load_with_WEIR_STEPS_EPILOGUE_and_WEIR_STEPS_NO_RESET)
#elif defined WEIR_STEPS_EPILOGUE
#define WEIR_STEPS_LOAD WEIR_STEPS_NAME(weir__, _load_with_WEIR_STEPS_EPILOGUE)
#elif defined WEIR_STEPS_NO_RESET
#define WEIR_STEPS_LOAD WEIR_STEPS_NAME(weir__, _load_with_WEIR_STEPS_NO_RESET)
#else
#define WEIR_STEPS_LOAD WEIR_STEPS_NAME(weir__, _load_with_neither_WEIR_STEPS_EPILOGUE_nor_NO_RESET)
#endif

#endif
