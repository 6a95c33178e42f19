#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "clang_plugin/pass/testing/compiled.h"
#include "core/hints/print_expression.h"

namespace hybrid::pass_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The hints are the same at every optimisation level: they are extracted from the unoptimised code.
class Extraction : public testing::TestWithParam<const char*> {
 protected:
  static std::vector<std::string> sites(const std::string& body, const std::string& globals = "",
                                        const std::string& before = "") {
    return describe(hints_of(c_program(body, before + globals), GetParam()));
  }
};
const char kMe[] =
    "static int my_rank(void) { int r; MPI_Comm_rank(MPI_COMM_WORLD, &r); return r; }\n"
    "#define me my_rank()\n";
INSTANTIATE_TEST_SUITE_P(Optimisation, Extraction, testing::Values("-O0", "-O2 -g"),
                         [](const auto& level) { return std::string(level.index ? "O2" : "O0"); });

TEST_P(Extraction, Arithmetic) {
  EXPECT_THAT(
      sites("SEND((rank + 1) % size); SEND(rank ^ 1); SEND(rank == size - 1 ? MPI_PROC_NULL : rank + 1);"),
      ElementsAre("MPI_Send static (rank + 1) % size", "MPI_Send static rank ^ 1",
                  "MPI_Send static rank == size - 1 ? MPI_PROC_NULL : rank + 1"));
}

TEST_P(Extraction, ArithmeticThatIsChecked) {
  const Source source = c_program("for (int i = 1; i < size; i *= 2) SEND((rank + i) % size); SEND(-rank);");
  const auto checked = describe(hints_of(source, std::string(GetParam()) + " -fsanitize=undefined"));
  EXPECT_EQ(checked, describe(hints_of(source, GetParam())));
  EXPECT_THAT(checked, testing::Each(HasSubstr("MPI_Send static ")));
  EXPECT_EQ(checked, describe(hints_of(source, std::string(GetParam()) + " -ftrapv")));
}

TEST_P(Extraction, Guards) {
  EXPECT_THAT(sites("if (rank > 0) SEND(rank - 1); else SEND(size - 1);"),
              ElementsAre("MPI_Send static rank - 1 if 0 < rank", "MPI_Send static size - 1 if rank <= 0"));
  EXPECT_THAT(sites("if (rank >= 4) { MPI_Finalize(); return 0; } SEND(3 - rank);"),
              ElementsAre("MPI_Send static 3 - rank if rank < 4"));
  EXPECT_THAT(sites("switch (rank) { case 0: SEND(1); break; case 1: SEND(0); break; default: SEND(2); }"),
              ElementsAre("MPI_Send static 1 if rank == 0", "MPI_Send static 0 if rank == 1",
                          testing::AnyOf(HasSubstr("MPI_Send static 2 if"))));
  EXPECT_THAT(sites("if (!argv) abort(); SEND(0);"), ElementsAre("MPI_Send static 0"));
  // The same for all ranks and sizes, as the checks in a container.
  EXPECT_THAT(
      sites("if (size <= 0x0fffffffffffffffl && (unsigned long)size * 4 < 0x7ffffffffffffffcul && rank >= 0)"
            " SEND(0); if (size < 1 || rank < 0) SEND(1);"),
      ElementsAre("MPI_Send static 0", "MPI_Send static 1 if 0"));
  EXPECT_THAT(sites("if (rank / -size < 0) SEND(0);"), ElementsAre(HasSubstr("if rank / ")));
}

TEST_P(Extraction, LoopsAndTheirVariables) {
  const auto units = hints_of(c_program("for (int i = 1; i < size; i *= 2) SEND(rank ^ i);"), GetParam());
  ASSERT_EQ(units.size(), 1u);
  ASSERT_EQ(units[0].loops.size(), 1u);
  ASSERT_EQ(units[0].variables.size(), 1u);
  EXPECT_EQ(units[0].sites[0].site_class, HYBRID_STATIC);
  EXPECT_EQ(units[0].sites[0].loop, 0u);
}

TEST_P(Extraction, ALoopWithAnEarlyExitMayHaveNoIteration) {
  EXPECT_THAT(sites("for (int i = size - 1; i > rank; --i) { SEND(0); if (rand()) break; }"),
              ElementsAre("MPI_Send dynamic 0"));
  EXPECT_THAT(sites("for (int i = size - 1; i > rank; --i) { rand(); if (rank == 2) break; SEND(0); if "
                    "(rand()) break; }"),
              ElementsAre("MPI_Send dynamic 0 if rank != 2"));
}

TEST_P(Extraction, HelpersAndVariables) {
  EXPECT_THAT(
      sites("me = rank; pass(rank + 2); peers[1] = rank + 3; SEND(peers[1]);",
            "static int me, peers[2]; static void pass(int to) { SEND(to); SEND(me + 1); }"),
      ElementsAre("MPI_Send static rank + 2", "MPI_Send static rank + 1", "MPI_Send static rank + 3"));
}

// They have one place, or none without debug information; one peer is received in the procedure.
TEST_P(Extraction, EachCallInAMacroHasItsClass) {
  const Source source = c_program(
      "exchange();",
      "static int table[2];\n"
      "static int received(void) { int v; MPI_Bcast(&v, 1, MPI_INT, 0, MPI_COMM_WORLD); return v; }\n"
      "#define TWO(a, b) SEND(a); int next = b; SEND(next);\n"
      "void set(int to) { table[0] = to; }\n"
      "__attribute__((noinline)) void exchange(void) { TWO(table[0], received()) }\n");
  std::set<std::uint16_t> classes;
  for (const HintUnit& unit : hints_of(source, GetParam()))
    for (const hybrid_site& site : unit.sites)
      if (site.kind == HYBRID_SEND) classes.insert(site.site_class);
  EXPECT_THAT(classes, ElementsAre(HYBRID_INSPECTED, HYBRID_DYNAMIC));
}

TEST_P(Extraction, TheLastStoreCounts) {
  EXPECT_THAT(sites("peer = rank; SEND(peer); peer = 2; SEND(peer);", "int peer;"),
              ElementsAre("MPI_Send static rank", "MPI_Send static 2"));
}

TEST_P(Extraction, Communicators) {
  EXPECT_THAT(
      sites(
          "MPI_Comm row; MPI_Comm_split(MPI_COMM_WORLD, rank / 4, rank, &row); int r; MPI_Comm_rank(row, &r);"
          "MPI_Send(buffer, 1, MPI_INT, r + 1, 0, row);"),
      ElementsAre("MPI_Send static (rank of MPI_Comm_split(MPI_COMM_WORLD, rank / 4, rank)) + 1 in "
                  "MPI_Comm_split(MPI_COMM_WORLD, rank / 4, rank)"));
  EXPECT_THAT(
      sites("int dims[2] = {0, 0}, wrap[2] = {1, 0}, s, d; MPI_Comm cart; MPI_Dims_create(size, 2, dims);"
            "MPI_Cart_create(MPI_COMM_WORLD, 2, dims, wrap, 0, &cart); MPI_Cart_shift(cart, 1, 1, &s, &d);"
            "MPI_Send(buffer, 1, MPI_INT, d, 0, cart);"),
      ElementsAre("MPI_Send static destination of MPI_Cart_shift(MPI_Cart_create(MPI_COMM_WORLD, {0, 0}, {1, "
                  "0}), 1, 1)"
                  " in MPI_Cart_create(MPI_COMM_WORLD, {0, 0}, {1, 0})"));
}

// Not all ranks get a communicator: a comparison with MPI_COMM_NULL tests the membership.
TEST_P(Extraction, MembersOfACommunicator) {
  const std::string even = "MPI_Comm c; MPI_Comm_split(MPI_COMM_WORLD, rank % 2 ? MPI_UNDEFINED : 0, 0, &c);";
  const std::string text = "MPI_Comm_split(MPI_COMM_WORLD, rank % 2 != 0 ? -32766 : 0, 0)";
  EXPECT_THAT(sites(even + "if (c != MPI_COMM_NULL) SEND(rank + 2);"),
              ElementsAre("MPI_Send static rank + 2 if " + text + " != MPI_COMM_NULL"));
  EXPECT_THAT(sites(even + "if (c == MPI_COMM_NULL) SEND(rank - 1);"),
              ElementsAre("MPI_Send static rank - 1 if " + text + " != MPI_COMM_NULL == 0"));
  // Created on one path only: the membership is unknown.
  EXPECT_THAT(sites("MPI_Comm c = MPI_COMM_NULL; if (argc > 1) MPI_Comm_dup(MPI_COMM_WORLD, &c);"
                    "if (c != MPI_COMM_NULL) SEND(rank + 1);"),
              ElementsAre(HasSubstr(" dynamic")));
  EXPECT_THAT(sites("if (argc > 1) MPI_Comm_dup(MPI_COMM_WORLD, &c); if (c != MPI_COMM_NULL) SEND(rank + 1);",
                    "static MPI_Comm c = MPI_COMM_NULL;"),
              ElementsAre(HasSubstr(" dynamic")));
  EXPECT_THAT(sites("if (argc == MPI_COMM_NULL) SEND(rank + 1);"), ElementsAre(HasSubstr(" dynamic")));
}

// Graphs keep the ranks if MPI may not reorder them.
TEST_P(Extraction, GraphTopologies) {
  const std::string graph =
                        "int to[1] = {(rank + 1) % size}, from[1] = {(rank + size - 1) % size}, n[1] = {1};"
                        "MPI_Comm g; int r;",
                    send = " MPI_Comm_rank(g, &r); MPI_Send(buffer, 1, MPI_INT, (r + 1) % size, 0, g);";
  const auto adjacent = [&](const std::string& reorder) {
    return graph +
           "MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, from, MPI_UNWEIGHTED, 1, to, MPI_UNWEIGHTED, "
           "MPI_INFO_NULL, " +
           reorder + ", &g);" + send;
  };
  const std::string dup = "MPI_Comm_dup(MPI_COMM_WORLD)",
                    expected = "MPI_Send static ((rank of " + dup + ") + 1) % size in " + dup;
  EXPECT_THAT(sites(adjacent("0")), ElementsAre(expected));
  EXPECT_THAT(sites(adjacent("1")), ElementsAre(HasSubstr(" dynamic")));
  EXPECT_THAT(sites(graph +
                    "MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, n, to, MPI_UNWEIGHTED, "
                    "MPI_INFO_NULL, 0, &g);" +
                    send),
              ElementsAre(expected));
  EXPECT_THAT(sites("MPI_Comm g; MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &g); int r;" + send),
              ElementsAre(expected));
  EXPECT_THAT(
      sites("int index[3] = {1, 2, 3}, edges[3] = {1, 2, 0}, r; MPI_Comm g;"
            "MPI_Graph_create(MPI_COMM_WORLD, 3, index, edges, 0, &g); if (g != MPI_COMM_NULL) {" +
            send + "}"),
      ElementsAre(testing::AllOf(HasSubstr("MPI_Send static"),
                                 HasSubstr("MPI_Comm_split(MPI_COMM_WORLD, rank < 3 ? 0 : -32766, rank)"))));
}

TEST_P(Extraction, SendrecvIsTwoSites) {
  EXPECT_THAT(sites("MPI_Sendrecv(buffer, 1, MPI_INT, rank + 1, 0, buffer + 1, 1, MPI_INT, rank - 1, 0, "
                    "MPI_COMM_WORLD, MPI_STATUS_IGNORE);"),
              ElementsAre("MPI_Sendrecv static rank + 1", "MPI_Sendrecv static rank - 1"));
  // With 64-bit counts.
  EXPECT_THAT(sites("MPI_Count n = 1; MPI_Send_c(buffer, n, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);"
                    " MPI_Recv_c(buffer, n, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);"),
              ElementsAre("MPI_Send_c static rank + 1", "MPI_Recv_c static rank - 1"));
  const auto units =
      hints_of(c_program("MPI_Send_c(buffer, 5000000000, MPI_INT, 0, 0, MPI_COMM_WORLD);"), GetParam());
  ASSERT_EQ(units.size(), 1u);
  EXPECT_EQ(print_expression(units[0], units[0].sites[0].count), "5000000000");
}

// Values that must not be treated as known.
TEST_P(Extraction, NotKnown) {
  const auto dynamic = [](const std::string& body, const std::string& globals = "") {
    const auto lines = sites(body, globals);
    return !lines.empty() && lines.back().find(" dynamic") != std::string::npos;
  };
  EXPECT_TRUE(dynamic("SEND(rand() % size);"));
  EXPECT_TRUE(dynamic("if (rand() & 1) SEND(0);"));
  EXPECT_TRUE(dynamic("if (argc > 1) rank = argc; SEND(rank);"));
  EXPECT_TRUE(dynamic("scramble(&rank); SEND(rank);", "void scramble(int*);"));
  EXPECT_TRUE(dynamic("keep = &rank; scramble(); SEND(rank);", "int* keep; void scramble(void);"));
  EXPECT_TRUE(
      dynamic("int who; MPI_Recv(&who, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); SEND(who);"));
  EXPECT_TRUE(
      dynamic("MPI_Status s; MPI_Recv(buffer, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &s);"
              "SEND(s.MPI_SOURCE);"));
  EXPECT_TRUE(
      dynamic("MPI_Request q; int who = 0; MPI_Irecv(&who, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &q);"
              "MPI_Wait(&q, MPI_STATUS_IGNORE); SEND(who);"));
  EXPECT_TRUE(dynamic("MPI_Bcast(&rank, 1, MPI_INT, 0, MPI_COMM_WORLD); SEND(rank);"));
  EXPECT_TRUE(
      dynamic("deep(argc, rank);", "void deep(int n, int to) { if (n) deep(n - 1, to + 1); SEND(to); }"));
  EXPECT_TRUE(dynamic("if (argc > 1) peer = rank + 1; SEND(peer);", "static int peer;"));
  EXPECT_TRUE(dynamic("peer = rank; scramble(); SEND(peer);", "int peer; void scramble(void);"));
  EXPECT_TRUE(dynamic("jmp_buf b; if (setjmp(b)) rank++; SEND(rank);"));
  EXPECT_TRUE(dynamic("volatile int v = rank; SEND(v);"));
  EXPECT_TRUE(dynamic("int a[4] = {rank, 0, 1, 2}; a[argc] = 7; SEND(a[0]);"));
  EXPECT_TRUE(dynamic("MPI_Comm c; MPI_Comm_get_parent(&c); MPI_Send(buffer, 1, MPI_INT, 0, 0, c);"));
  EXPECT_TRUE(dynamic("int i = 0; while (argc-- > 1) i++; SEND(i);"));
  EXPECT_TRUE(dynamic("for (int i = 0;; i++) { if (rand()) break; SEND(i); }"));
  EXPECT_TRUE(dynamic("for (int i = 0; i < size; i++) { if (rand()) break; SEND(0); }"));
  EXPECT_TRUE(dynamic("for (int i = 0; i < size && rand(); i++) SEND(0);"));
}

// A procedure has begun when its hints are evaluated: the condition of its call need not be known ...
TEST_P(Extraction, TheConditionOfAProcedureMayBeUnknown) {
  const auto lines = sites("if (rand() & 1) exchange(1);",
                           "static void exchange(int by) { if (me >= by) SEND(me - by); }", kMe);
  EXPECT_THAT(lines, testing::Contains("MPI_Send static rank - 1 if 1 <= rank"));
  EXPECT_THAT(lines, testing::Not(testing::Contains(HasSubstr(" dynamic"))));
}

// ... but the connections of one place must not be hinted at another.
TEST_P(Extraction, APlaceThatMayNotBeReachedIsNotHintedElsewhere) {
  const std::string exchange = "static void exchange(int by) { SEND(me + by); }";
  const auto in_steps = [&](const std::string& steps, const std::string& globals) {
    return sites("steps();", globals + " __attribute__((weak)) void steps(void) {" + steps + "}", kMe);
  };
  EXPECT_THAT(in_steps("if (rand() & 1) exchange(1); else exchange(2);", exchange),
              testing::AllOf(testing::Contains(HasSubstr("dynamic rank + 1")),
                             testing::Contains(HasSubstr("dynamic rank + 2"))));
  EXPECT_THAT(in_steps("exchange(1); if (rand() & 1) exchange(2);", exchange),
              testing::AllOf(testing::Contains("MPI_Send static rank + 1"),
                             testing::Contains(HasSubstr("dynamic rank + 2"))));
  // One of them may not send.
  EXPECT_THAT(in_steps("if (rand() & 1) exchange(3); exchange(0);",
                       "static void exchange(int by) { if (by > 0) SEND(me + by); }"),
              ElementsAre(HasSubstr("dynamic rank + 3")));
  // Both send the same.
  EXPECT_THAT(in_steps("if (rand() & 1) exchange(1); if (rand() & 2) exchange(1);", exchange),
              testing::Contains("MPI_Send static rank + 1"));
  // Both have the same condition.
  EXPECT_THAT(in_steps("if (rand() & 1) { exchange(1); exchange(2); }", exchange),
              testing::AllOf(testing::Contains("MPI_Send static rank + 1"),
                             testing::Contains("MPI_Send static rank + 2")));
  // The variable of the second place may have another value when the first is reached.
  EXPECT_THAT(
      in_steps("seen = rand(); if (rand() & 1) exchange(1); seen = rand(); if (seen & 4) exchange(2);",
               "static int seen;" + exchange),
      testing::Contains(HasSubstr("dynamic rank + 2")));
}

// Unknown conditions of a collective do not change its connections.
TEST_P(Extraction, ACollectiveIsKnownByItsCommunicatorAndItsRoot) {
  const auto helper = [](const std::string& body, const std::string& globals = "") {
    return sites("helper();",
                 globals +
                     " static void helper(void) { int me, of; MPI_Comm_rank(MPI_COMM_WORLD, &me);"
                     " MPI_Comm_size(MPI_COMM_WORLD, &of); " +
                     body + "}");
  };
  EXPECT_THAT(
      helper("int n = rand(); for (int s = 0; s < n; ++s) if (s % 10 == 9) MPI_Barrier(MPI_COMM_WORLD);"),
      ElementsAre("MPI_Barrier static"));
  EXPECT_THAT(helper("int n = rand(); for (int s = 0; s < n; ++s) if (s % 10 == 9) SEND(me + 1);"),
              ElementsAre(HasSubstr(" dynamic")));
  EXPECT_THAT(helper("if (of > 4) if (rand() < 9) MPI_Bcast(buffer, 1, MPI_INT, 2, MPI_COMM_WORLD);"),
              ElementsAre("MPI_Bcast static 2 if 4 < size"));
  EXPECT_THAT(helper("MPI_Bcast(buffer, 1, MPI_INT, rand() % of, MPI_COMM_WORLD);"),
              ElementsAre(HasSubstr(" dynamic")));
  EXPECT_THAT(helper("MPI_Comm c; MPI_Comm_split(MPI_COMM_WORLD, rand() % 2, 0, &c); MPI_Barrier(c);"),
              ElementsAre(HasSubstr(" dynamic")));
}

TEST_P(Extraction, LaterWritesAreNotReadBefore) {
  EXPECT_THAT(sites("SEND(rank + to); to = size;", "static int to = 2;"),
              testing::Not(testing::Contains(HasSubstr("size"))));
  EXPECT_THAT(sites("exchange(); to = size;",
                    "static int to = 2; __attribute__((noinline)) static void exchange(void) { SEND(to); }"),
              testing::Not(testing::Contains(HasSubstr("size"))));
}

TEST_P(Extraction, AFreedCommunicatorIsNotAnotherOne) {
  EXPECT_THAT(sites("MPI_Comm c; MPI_Comm_dup(MPI_COMM_WORLD, &c); MPI_Send(buffer, 1, MPI_INT, 0, 0, c);"
                    "MPI_Comm_free(&c);"),
              ElementsAre("MPI_Send static 0 in MPI_Comm_dup(MPI_COMM_WORLD)"));
  EXPECT_THAT(sites("MPI_Comm c = MPI_COMM_WORLD; if (argc > 1) MPI_Comm_dup(MPI_COMM_WORLD, &c);"
                    "MPI_Send(buffer, 1, MPI_INT, 0, 0, c);"),
              ElementsAre(HasSubstr(" dynamic")));
}

TEST_P(Extraction, ANumberMayBePassedByAddressToAFunctionThatOnlyReadsIt) {
  EXPECT_THAT(
      sites("int to = rank + 1; note(&to); SEND(to);",
            "double noted[64]; __attribute__((noinline)) static void note(const int* n) {"
            " for (int i = 0; i < 64; ++i) for (int j = 0; j < 64; ++j) noted[i] += (noted[j] + *n) / (j + "
            "2.0 * noted[(i * j) % 64]) - noted[(i + *n * j) & 63] * noted[(*n + i) & 63]; }"),
      ElementsAre("MPI_Send static rank + 1"));
}

// The peer after an exception is another one than without.
TEST_P(Extraction, AnExceptionThatIsCaughtIsNoEnd) {
  const auto peer_after = [](const std::string& body) {
    return describe(hints_of({"thrown.cpp",
                              "#include <mpi.h>\nstatic void maybe(int n) { if (n & 1) throw 1; }\n"
                              "struct Count { int& n; ~Count() { ++n; } };\n[[noreturn]] void fail();\n"
                              "void f(int n) { int to = 1; " +
                                  body + " MPI_Send(&n, 1, MPI_INT, to, 0, MPI_COMM_WORLD); }\n"},
                             GetParam()));
  };
  const auto is_not = testing::Each(HasSubstr(" dynamic"));
  EXPECT_THAT(peer_after("try { maybe(n); } catch (...) { to = 2; }"), is_not);
  EXPECT_THAT(peer_after("try { Count count{to}; maybe(n); } catch (...) { }"), is_not);
  EXPECT_THAT(peer_after("try { if (n > 2) fail(); } catch (...) { to = 2; }"), is_not);
  EXPECT_THAT(peer_after("maybe(n);"), ElementsAre("MPI_Send static 1"));
}

// MPI calls such a function of the program, which may write what an inspector reads.
TEST_P(Extraction, AProgramThatMpiCallsIsSpeculative) {
  const auto classes = [](const std::string& set_up) {
    std::set<std::uint16_t> found;
    for (const HintUnit& unit :
         hints_of({"called.c",
                   "#include <mpi.h>\nint table[2]; MPI_Op op; MPI_Win window;\n"
                   "void sum(void* in, void* out, int* n, MPI_Datatype* type) {}\n"
                   "void large(void* in, void* out, MPI_Count* n, MPI_Datatype* type) {}\n"
                   "void set_up(void) { " +
                       set_up +
                       " }\nvoid f(void) { MPI_Barrier(MPI_COMM_WORLD);"
                       " MPI_Send(table, 1, MPI_INT, table[0], 0, MPI_COMM_WORLD); }\n"},
                  GetParam()))
      for (const hybrid_site& site : unit.sites)
        if (site.kind == HYBRID_SEND) found.insert(site.site_class);
    return found;
  };
  EXPECT_THAT(classes(""), ElementsAre(HYBRID_INSPECTED));
  EXPECT_THAT(classes("MPI_Op_create(sum, 1, &op);"), ElementsAre(HYBRID_SPECULATIVE));
  EXPECT_THAT(classes("MPI_Op_create_c(large, 1, &op);"), ElementsAre(HYBRID_SPECULATIVE));
  EXPECT_THAT(classes("MPI_Win_create_c(table, 8, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &window);"),
              ElementsAre(HYBRID_SPECULATIVE));
}

// The program continues where the exception is caught, or at setjmp: without the message.
TEST_P(Extraction, AProcedureThatMayBeLeftEarlyIsSpeculative) {
  const auto classes = [](const std::string& leave, const std::string& call, const std::string& before = {}) {
    std::set<std::uint16_t> found;
    for (const HintUnit& unit : hints_of(
             {"left.cpp",
              "#include <mpi.h>\n#include <setjmp.h>\nstatic int table[2], most;\nstatic jmp_buf back;\n" +
                  before +
                  "void set(int to) { most = table[0] = to; }\n__attribute__((noinline)) void f(int n) {\n"
                  "if (n > most) " +
                  leave + "; MPI_Send(&n, 1, MPI_INT, table[0], 0, MPI_COMM_WORLD); }\nvoid g(int n) { " +
                  call + " }\n"},
             GetParam()))
      for (const hybrid_site& site : unit.sites) found.insert(site.site_class);
    return found;
  };
  EXPECT_THAT(classes("return", "f(n);"), ElementsAre(HYBRID_INSPECTED));
  EXPECT_THAT(classes("throw 1", "f(n);"), ElementsAre(HYBRID_INSPECTED)) << "an end of the program";
  EXPECT_THAT(classes("throw 1", "try { f(n); } catch (int) {}"), ElementsAre(HYBRID_SPECULATIVE));
  EXPECT_THAT(classes("longjmp(back, 1)", "if (!setjmp(back)) f(n);"), ElementsAre(HYBRID_SPECULATIVE));
  EXPECT_THAT(classes("fail(1)", "if (!setjmp(back)) f(n);",
                      "__attribute__((noreturn)) void fail(int n) { longjmp(back, n); }\n"),
              ElementsAre(HYBRID_SPECULATIVE));
  EXPECT_THAT(classes("__longjmp_chk(back, 1)", "if (!setjmp(back)) f(n);",
                      "extern \"C\" __attribute__((noreturn)) void __longjmp_chk(jmp_buf, int);\n"),
              ElementsAre(HYBRID_SPECULATIVE));
  constexpr const char* kVirtual =
      "struct Check { virtual void check(int n); };\nvoid Check::check(int n) { throw n; }\nCheck* one;\n";
  EXPECT_THAT(classes("one->check(n)", "try { f(n); } catch (int) {}", kVirtual),
              ElementsAre(HYBRID_SPECULATIVE));
  EXPECT_THAT(
      sites("if (rank >= 4) fail(); SEND(rank + 1);",
            "jmp_buf back; __attribute__((noreturn, noinline)) void fail(void) { longjmp(back, 1); }"),
      ElementsAre("MPI_Send static rank + 1 if rank < 4"));
}

TEST_P(Extraction, AJumpIntoALoopIsNotAnalysed) {
  EXPECT_THAT(sites("int n = size; switch (rank & 1) { case 0: do { SEND(rank + 1); case 1: SEND(rank + n); "
                    "} while (--n); }"),
              ElementsAre(HasSubstr("MPI_Send dynamic"), HasSubstr("MPI_Send dynamic")));
}

TEST_P(Extraction, WithoutMpiThereIsNoNote) {
  EXPECT_TRUE(hints_of({"plain.c", "int twice(int a) { return 2 * a; }\n"}, GetParam()).empty());
}

}  // namespace
}  // namespace hybrid::pass_test
