# One interface target carries the flags of every target of ours.
add_library(lockstep_flags INTERFACE)
target_include_directories(lockstep_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(lockstep_flags INTERFACE -Wall -Wextra -Wpedantic -Wno-missing-field-initializers
                       -Wno-restrict)  # GCC 12 reports std::string concatenation falsely (GCC bug 105651)
# GCC collects its garbage from 500 MB on, in place of 128: a tenth of a build's time for memory that machines have.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(lockstep_flags INTERFACE --param=ggc-min-expand=100 --param=ggc-min-heapsize=500000)
endif()
if(LOCKSTEP_WERROR)
  target_compile_options(lockstep_flags INTERFACE -Werror)
endif()
if(LOCKSTEP_SANITIZE)
  target_compile_options(lockstep_flags INTERFACE -fsanitize=${LOCKSTEP_SANITIZE} -fno-omit-frame-pointer
                         -Wno-maybe-uninitialized)  # GCC 12 reports sanitized library code falsely
  target_link_options(lockstep_flags INTERFACE -fsanitize=${LOCKSTEP_SANITIZE})
endif()
