#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace hybrid {

/// The name of a function in its source, from the symbol of C++ (without the return type that templates
/// have), flang ("_QMheatPstep" is heat::step) or gfortran ("__heat_MOD_step"). Main programs of Fortran are
/// "main". Other symbols, such as those of C, are returned as they are.
std::string readable_name(std::string_view symbol);

/// Where the parameters begin in a name that readable_name() returned; its size if it has none.
std::size_t parameters_of(std::string_view name);

}  // namespace hybrid
