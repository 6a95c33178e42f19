# Writes the wrappers of functions.def: for every function, MPI_X and PMPI_X; and for Fortran mpi_x_, mpi_x_f08_ and
# mpi_x_f08ts_, which only note the call site.
#
#   awk -f generate_wrappers.awk [-v part=I -v parts=N] functions.def mpi_proto.h [mpio.h] > wrappers.cpp
#
# Signatures come from the installed headers. `part` of `parts` splits the output over several files, which
# compile in parallel. A function of the table that no header declares is an error.

function fail(message) {
  print "generate_wrappers.awk: " message > "/dev/stderr"
  failed = 1
  exit 1
}

# The table: names before the first " : ", handler after it.
FNR == NR {
  if ($0 ~ /^[ \t]*(#|$)/) next
  at = index($0, " : ")
  if (at == 0) fail(FILENAME ":" FNR ": no ' : ' between the names and the handler")
  handler = substr($0, at + 3)
  count = split(substr($0, 1, at - 1), names, /[ \t]+/)
  for (i = 1; i <= count; ++i) {
    name = names[i]
    if (name == "") continue
    always = sub(/^!/, "", name)
    large = sub(/\+$/, "", name)
    add(name, handler, always)
    if (large) add(name "_c", handler, always)
  }
  next
}

function add(name, handler, always) {
  if (name in handlers) fail(name " is in the table twice")
  order[++functions] = name
  handlers[name] = handler
  outside[name] = always
}

# The headers: a prototype begins its line, may span several, and ends with ";".
text == "" && !/^[A-Za-z_]+ \*?MPIX?_[A-Za-z0-9_]+\(/ { next }
{
  text = text " " $0
  if ($0 !~ /;[ \t]*$/) next
  declaration = text
  text = ""
  if (match(declaration, /[ *]MPIX?_[A-Za-z0-9_]+\(/) == 0) next
  name = substr(declaration, RSTART + 1, RLENGTH - 2)
  if (name in types) next  # mpio.h repeats some of mpi_proto.h, for other MPI libraries
  type = substr(declaration, 1, RSTART)
  gsub(/^ +| +$/, "", type)
  sub(/[^(]*\(/, "", declaration)
  # The parameters end at the parenthesis that closes them.
  depth = 1
  for (i = 1; i <= length(declaration) && depth > 0; ++i) {
    c = substr(declaration, i, 1)
    if (c == "(") ++depth
    if (c == ")") --depth
  }
  parameters = substr(declaration, 1, i - 2)
  gsub(/[ \t]+/, " ", parameters)
  types[name] = type
  signature[name] = parameters == "void" ? "" : parameters
}

# "const int counts[], MPI_Comm comm" -> "counts, comm"
function arguments_of(parameters,   n, list, i, one, result) {
  n = split(parameters, list, ",")
  result = ""
  for (i = 1; i <= n; ++i) {
    one = list[i]
    sub(/ *\[.*/, "", one)
    gsub(/ +$/, "", one)
    sub(/.*[ *]/, "", one)
    result = result (i > 1 ? ", " : "") one
  }
  return result
}

# Inspects the parameters that are passed to the handler of `name`. Sets
#   null_checks: tests for null pointers, which are left to MPI to reject: the handler does not run;
#   uncached: tests for communicators and datatypes that the shim has not cached yet (handlers.h);
#   match_status: the parameter for the status of what was received.
function inspect_parameters(name,   n, list, i, parameter, type, peers) {
  null_checks = uncached = match_status = ""
  if (outside[name]) return
  n = split(signature[name], list, ",")
  for (i = 1; i <= n; ++i) {
    parameter = arguments_of(list[i])
    if (parameter == "" || handlers[name] !~ ("[^A-Za-z0-9_]" parameter "[^A-Za-z0-9_]")) continue
    type = substr(list[i], 1, index(list[i], parameter) - 1)
    gsub(/^ +| +$/, "", type)
    if (type == "MPI_Status *") match_status = parameter
    if (type == "const MPI_Datatype") {
      peers = name !~ /eighbor/ ? "peers()" : parameter ~ /^send/ ? "neighbors_out" : "neighbors_in"
      add_uncached_check(name, (parameter == "sendtypes" ? "(sendbuf != MPI_IN_PLACE && " : "(") "any_uncached_type(" parameter ", comm, [](const Communicator& c) { return c." peers ".size(); }))")
    } else if (type ~ /const|void|char|MPI_Status/) {
      continue
    } else if (type ~ /\*/ || list[i] ~ /\[/) {
      null_checks = null_checks " || " parameter " == nullptr"
    } else if (type == "MPI_Comm" || type == "MPI_Datatype") {
      add_uncached_check(name, (type == "MPI_Comm" ? "is_uncached_comm(" : "is_uncached_type(") parameter ")")
    }
  }
}

# Adds a test to `uncached`, communicators first; only for handlers that look up before the call.
function add_uncached_check(name, check) {
  if (handlers[name] !~ /^(i?send|i?sendrecv|irecv|blocking|nonblocking|persistent|r?transfer|r?get_accumulate)\(/) return
  uncached = uncached == "" ? check : check ~ /\(comm\)$/ ? check " || " uncached : uncached " || " check
}

# Prints the entry of one name (MPI_X or PMPI_X), which calls the next definition of the same name.
function entry(name, next_name, arguments) {
  print "HYBRID_SHIM_EXPORT " types[name] " " next_name "(" signature[name] ") {"
  print "  return around_" name "(HYBRID_CALL_PLACE, next_" next_name ".get()" (arguments == "" ? "" : ", ") arguments ");"
  print "}"
}

END {
  if (failed) exit 1
  if (parts == "") { part = 1; parts = 1 }
  print "// Generated from functions.def by generate_wrappers.awk."
  print "#include \"libhybrid/shim/collectives.h\""
  print "#include \"libhybrid/shim/communicators.h\""
  print "#include \"libhybrid/shim/completion.h\""
  print "#include \"libhybrid/shim/datatypes.h\""
  print "#include \"libhybrid/shim/interposition.h\""
  print "#include \"libhybrid/shim/lifecycle.h\""
  print "#include \"libhybrid/shim/one_sided.h\""
  print "#include \"libhybrid/shim/point_to_point.h\""
  print "#include \"libhybrid/shim/started_requests.h\"\n"
  print "using namespace hybrid;"
  print "using namespace hybrid::shim;"
  print "using namespace hybrid::shim::describe;\n"
  for (f = 1; f <= functions; ++f) {
    name = order[f]
    if (!(name in types)) fail(name " is in the table but not in the headers of this MPI (MPICH 4.0 is expected)")
    if ((f - 1) % parts != part - 1) continue
    arguments = arguments_of(signature[name])
    inspect_parameters(name)
    call = handlers[name]
    separator = call ~ /\(\)$/ ? "" : ", "
    sub(/\(/, "(" (outside[name] ? "" : "*thread, ") "real" separator, call)
    print "namespace {"
    print "NextFunction<decltype(&" name ")> next_" name "{\"" name "\"}, next_P" name "{\"P" name "\"};"
    # MPI_X and PMPI_X share the code of all but the functions whose cost users see.
    if (handlers[name] ~ /^(i?send|i?recv|wait|waitall|test|testall|poll)\(/) attributes = "[[gnu::always_inline]] inline "
    else attributes = "[[gnu::noinline]] "
    if (outside[name]) {
      print "struct CallsOf_" name " {"
      print "  static std::uintptr_t& frame() {"
      print "    [[gnu::tls_model(\"initial-exec\")]] static constinit thread_local std::uintptr_t of_thread = 0;"
      print "    return of_thread;"
      print "  }"
      print "  static void begins(std::uintptr_t, const char*) {}"
      print "};"
    }
    print attributes types[name] " around_" name "(CallPlace place, decltype(&" name ") next" \
          (signature[name] == "" ? "" : ", ") signature[name] ") {"
    print "  const OutermostCall outermost(place, \"" (name ~ /_c$/ ? substr(name, 1, length(name) - 2) : name) "\");"
    if (outside[name]) {
      print "  const OutermostOf<CallsOf_" name "> of_this(place, nullptr);"
      print "  if (!of_this) return next(" arguments ");"
    } else {
      print "  Thread* const thread = outermost ? recording_thread() : nullptr;"
      print "  if (thread == nullptr" null_checks ") return next(" arguments ");"
    }
    if (uncached == "") {
      print "  const auto real = [&]() __attribute__((always_inline)) { return next(" arguments "); };"
    } else {
      print "  bool over = false;"
      print "  int result = MPI_SUCCESS;"
      if (match_status != "") print "  MPI_Status match;"
      print "  if (" uncached ") [[unlikely]] {"
      if (match_status != "") print "    if (" match_status " == MPI_STATUS_IGNORE) " match_status " = &match;"
      print "    over = true;"
      print "    result = handle::call(*thread, [&] { return next(" arguments "); });"
      print "    if (result != MPI_SUCCESS) return result;"
      print "  }"
      print "  const auto real = [&]() __attribute__((always_inline)) { return over ? result : next(" arguments "); };"
    }
    print "  return handle::" call ";"
    print "}"
    print "}  // namespace"
    print "extern \"C\" {"
    entry(name, name, arguments)
    entry(name, "P" name, arguments)
    print "}\n"
    if (!outside[name] && name ~ /^MPI_/ && name !~ /_c$/) {
      fortran = tolower(name)
      print "HYBRID_FORTRAN(" fortran "_)\nHYBRID_FORTRAN(" fortran "_f08_)\nHYBRID_FORTRAN(" fortran "_f08ts_)\n"
    }
  }
}
