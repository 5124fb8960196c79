#pragma once

/// LOCKSTEP_ISA is the namespace of the code of one instruction set: `baseline` (what the build's own flags allow) or
/// `v3` (x86-64-v3: AVX2 and FMA, 2013). See CMakeLists.txt.
#ifndef LOCKSTEP_ISA
#error "compiled by CMakeLists.txt once for each instruction set"
#endif
