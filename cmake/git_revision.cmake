# cmake -DSOURCE=... -DOUTPUT=... -P git_revision.cmake: writes a header with the revision of the working tree, "+" behind it
# where files differ from it; only where that changed, so that nothing is compiled without need.
execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD
                OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT revision)
  set(revision "unknown")
else()
  execute_process(COMMAND git -C ${SOURCE} diff-index --quiet HEAD -- RESULT_VARIABLE changed ERROR_QUIET)
  if(changed)
    string(APPEND revision "+")
  endif()
endif()
set(text "#pragma once\n\n#define LOCKSTEP_GIT \"${revision}\"\n")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT "${before}" STREQUAL "${text}")
  file(WRITE ${OUTPUT} "${text}")
endif()
