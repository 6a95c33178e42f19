// Peers that are results of loops: the hints are compared with the same calculation in the test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <numeric>

#include "clang_plugin/pass/testing/compiled.h"
#include "core/hints/connections.h"

namespace hybrid::pass_test {
namespace {

using testing::HasSubstr;
using Destinations = std::vector<std::uint32_t>;

class EndedLoops : public testing::TestWithParam<const char*> {
 protected:
  // Returns the sorted destinations of a rank's sends. Fails if a send is not static.
  static Destinations hinted(const HintUnit& unit, std::uint32_t rank, std::uint32_t ranks) {
    NoHintValues none;
    HintEvaluator evaluator(unit, ranks, none);
    HintConnectionFinder finder(evaluator);
    Destinations all;
    for (std::uint32_t s = 0; s < unit.sites.size(); ++s) {
      if (unit.sites[s].kind != HYBRID_SEND) continue;
      EXPECT_EQ(unit.sites[s].site_class, HYBRID_STATIC) << describe(unit, unit.sites[s]);
      const HintDestinations part = finder.site(s, rank);
      EXPECT_EQ(part.unknown, "") << "rank " << rank << " of " << ranks;
      all.insert(all.end(), part.ranks.begin(), part.ranks.end());
    }
    std::sort(all.begin(), all.end());
    return all;
  }

  static void expect_hinted(const Source& source,
                            const std::function<Destinations(std::uint32_t, std::uint32_t)>& expected) {
    const auto units = hints_of(source, GetParam());
    ASSERT_EQ(units.size(), 1u);
    for (const std::uint32_t ranks : {1u, 2u, 7u, 8u, 12u})
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        Destinations wanted = expected(rank, ranks);
        std::erase(wanted, rank);
        std::sort(wanted.begin(), wanted.end());
        wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
        EXPECT_EQ(hinted(units[0], rank, ranks), wanted) << "rank " << rank << " of " << ranks;
      }
  }

  static void expect_dynamic(const std::string& body, const std::string& globals = "") {
    for (const std::string& line : describe(hints_of(c_program(body, globals), GetParam())))
      EXPECT_THAT(line, HasSubstr("MPI_Send dynamic")) << body;
  }
};
INSTANTIATE_TEST_SUITE_P(Optimisation, EndedLoops, testing::Values("-O0", "-O2 -g"),
                         [](const auto& level) { return std::string(level.index ? "O2" : "O0"); });

TEST_P(EndedLoops, ALogarithm) {
  expect_hinted(c_program("int l = 0; for (int n = size; n > 1; n /= 2) l++;"
                          "for (int i = 0; i < l; i++) SEND((rank ^ (1 << i)) % size);"),
                [](std::uint32_t rank, std::uint32_t ranks) {
                  Destinations to;
                  for (std::uint32_t bit = 1; bit * 2 <= ranks; bit *= 2) to.push_back((rank ^ bit) % ranks);
                  return to;
                });
}

TEST_P(EndedLoops, TestedAfterTheIteration) {
  expect_hinted(c_program("int n = 0, last; do { last = n; n += 3; } while (n < size); SEND(last);"),
                [](std::uint32_t, std::uint32_t ranks) { return Destinations{(ranks - 1) / 3 * 3}; });
}

TEST_P(EndedLoops, ALoopInALoop) {
  expect_hinted(
      c_program("int sum = 0; for (int i = 0; i < rank; i++) { int j = 0; while (j * j < i) j++; sum += j; }"
                "SEND(sum % size);"),
      [](std::uint32_t rank, std::uint32_t ranks) {
        std::uint32_t sum = 0;
        for (std::uint32_t i = 0; i < rank; ++i) {
          std::uint32_t j = 0;
          while (j * j < i) ++j;
          sum += j;
        }
        return Destinations{sum % ranks};
      });
}

// Like NAS CG: the partner for each step of a reduction.
const char kPartners[] =
    "int partner[32], l = 0; for (int d = size; d > 1; d /= 2) l++;"
    "for (int i = 0, d = 1; i < l; i++, d *= 2) partner[i] = (rank / d) % 2 ? rank - d : (rank + d) % size;";
Destinations partners(std::uint32_t rank, std::uint32_t ranks) {
  Destinations to;
  for (std::uint32_t d = 1; d * 2 <= ranks; d *= 2)
    to.push_back(rank / d % 2 != 0 ? rank - d : (rank + d) % ranks);
  return to;
}

TEST_P(EndedLoops, ATableOfPartners) {
  expect_hinted(c_program(std::string(kPartners) + "while (rand() % 3)"
                                                   "  for (int i = 0; i < l; i++) SEND(partner[i]);"),
                partners);
}

TEST_P(EndedLoops, ATableOfPartnersThatAHelperFillsAndAnotherReads) {
  std::string body = kPartners;
  body.replace(0, std::string("int partner[32], l = 0;").size(), "*steps = 0; int l = 0;");
  expect_hinted(
      c_program(
          "int partner[32], steps; setup(rank, size, partner, &steps); exchange(partner, steps);",
          "static void setup(int rank, int size, int* partner, int* steps) {" + body +
              "*steps = l; }\n"
              "static void exchange(const int* to, int n) { for (int i = 0; i < n; i++) SEND(to[i]); }\n"),
      partners);
}

TEST_P(EndedLoops, AFilteredTableOnTheHeap) {
  expect_hinted(c_program("int* to = malloc(sizeof *to * size); int n = 0;"
                          "for (int i = 0; i < size; i++) if (i % 3 == rank % 3 && i != rank) to[n++] = i;"
                          "for (int i = 0; i < n; i++) SEND(to[i]); free(to);"),
                [](std::uint32_t rank, std::uint32_t ranks) {
                  Destinations to;
                  for (std::uint32_t i = rank % 3; i < ranks; i += 3) to.push_back(i);
                  return to;
                });
}

TEST_P(EndedLoops, APieceOfATable) {
  expect_hinted(
      c_program("int to[64]; for (int i = 0; i < size; i++) to[i + 2] = (i + 1) % size; SEND(to[rank + 2]);"),
      [](std::uint32_t rank, std::uint32_t ranks) { return Destinations{(rank + 1) % ranks}; });
}

// For a rank that does not write an entry, the entry is unknown.
TEST_P(EndedLoops, AnEntryThatWasNotWritten) {
  const auto units =
      hints_of(c_program("int to[64]; for (int i = 0; i < rank; i++) to[i] = 0; SEND(to[1]);"), GetParam());
  NoHintValues none;
  HintEvaluator evaluator(units.at(0), 4, none);
  HintConnectionFinder finder(evaluator);
  EXPECT_NE(finder.site(0, 1).unknown, "");
  EXPECT_THAT(finder.site(0, 2).ranks, testing::ElementsAre(0));
}

// Cleared before, and again after: its contents can only be read at run time.
TEST_P(EndedLoops, ATableThatIsClearedAgain) {
  EXPECT_THAT(
      describe(hints_of(
          c_program(
              "reset(); for (int i = 0; i < size; i++) t[i] = i; reset(); exchange(t[rank]);",
              "#include <string.h>\nstatic int t[64]; static double d[9];"
              "static void exchange(int to) { SEND(to); }"
              "__attribute__((noinline)) static void reset(void) { for (int i = 0; i < 9; i++)"
              " for (int j = 0; j < 9; j++) d[i] += d[j] / (i + j + d[(i * j) % 9]) - d[(i * 7) % 9] * d[(j "
              "* 5) % 9]; memset(t, 0, sizeof t); }"),
          GetParam())),
      testing::ElementsAre("MPI_Send analysable t[rank * 4 bytes]"));
}

TEST_P(EndedLoops, NotKnown) {
  /* The number of iterations; the exit of the loop. */
  expect_dynamic("int n = 0; while (rand() % 2) n++; SEND(n);");
  expect_dynamic("int n = 0; for (int i = 0; i < size; i++) { n++; if (rand()) break; } SEND(n);");
  expect_dynamic("int n = 0; for (int i = 0; i < size; i++) n += rand() % 2; SEND(n);");
  /* Values that the iterations read change between them. */
  const std::string send = "static void exchange(int to) { SEND(to); } ",
                    more = "int g; int check(void); " + send;
  expect_dynamic("int n = 0; do { n++; g = check(); } while (g); exchange(n % size);", more);
  expect_dynamic("int n = 0, i = 0; do { g = rand(); n += g; i++; } while (i < size); exchange(n % size);",
                 more);
  expect_dynamic(
      "int n = 0; for (int i = 0; i < size; i++) { next(); n += g; } exchange(n % size);",
      more +
          "static int h; static double d[9]; __attribute__((noinline)) static void next(void) {"
          " for (int i = 0; i < 9; i++) for (int j = 0; j < 9; j++) d[i] += d[j] * h / (i + j + d[h % 9])"
          " - d[(i * h) % 9] * d[(j * h) % 9]; g = h++; }");
  expect_dynamic(
      "int t[64], i = 0; do { g = rand(); t[i] = g % size; i++; } while (i < size); exchange(t[rank]);",
      more);
  expect_dynamic("for (int s = 0, p = 0; s < size; s++) { p += g; exchange(p % size); g = rand(); }", more);
  /* Written again, or elsewhere, or by unknown code. */
  const std::string fill = "int to[64]; for (int i = 0; i < size; i++) to[i] = i; ";
  expect_dynamic(fill + "to[rand() % size] = 0; SEND(to[rank]);");
  expect_dynamic(fill + "scramble(to); SEND(to[rank]);", "void scramble(int*);");
  expect_dynamic(fill + "for (int i = 0; i < size; i++) if (rand()) to[i] = 0; SEND(to[rank]);");
  expect_dynamic("int to[64]; for (int i = 0; i < size; i++) { if (rand()) to[i] = i; } SEND(to[0]);");
  expect_dynamic("int to[64] = {0}; for (int i = 0; i < size; i++) { SEND(to[i]); to[i] = i; }");
  expect_dynamic("int to[64]; if (argc > 1) for (int i = 0; i < size; i++) to[i] = i; SEND(to[0]);");
  expect_dynamic(fill + "if (argc > 1) memset(to, 0, sizeof to); SEND(to[1]);", "#include <string.h>\n");
}

}  // namespace
}  // namespace hybrid::pass_test
