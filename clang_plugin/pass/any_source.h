/* Receives from any source, where the whole program is in sight: whose messages they can take is known by the
 * sends that they can match, if those are. */
#ifndef HYBRID_CLANG_PLUGIN_PASS_ANY_SOURCE_H
#define HYBRID_CLANG_PLUGIN_PASS_ANY_SOURCE_H

#include <vector>

#include "clang_plugin/pass/note.h"

namespace hybrid::pass {

/* The reason of a site of which nothing else is unknown. */
inline constexpr char kAnySource[] = "it receives from any source";

/* `sites`: all of the program. A receive with that reason is as static or analysable as the sends of its
 * communicator and tag are; it stays dynamic where one of these is, or where none is seen. A tag that is not
 * known may be any. */
void settle_any_source(const Note& note, const std::vector<hybrid_site*>& sites);

}  // namespace hybrid::pass

#endif
