// What a directive becomes: calls of these functions, which every translation unit compiled with the plugin
// gets as if it had declared them itself. Each finds the library's function of hybrid.h by name when the
// program runs, once, and does nothing where there is no library; so a program needs nothing at link time.
//
// The LLVM pass knows the calls by name (core/hint_abi.h) and reads phases, patterns and connections off
// them.
#pragma once

#include <string>

namespace hybrid::directives {

/// Text for the start of a translation unit, valid C11 and C++11.
std::string marker_declarations(bool cplusplus);

}  // namespace hybrid::directives
