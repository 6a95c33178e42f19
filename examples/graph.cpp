// Irregular exchange: connected components of a random graph; each rank has some vertices. Labels are sent
// along the edges between ranks (neighbourhood all-to-all on a distributed graph communicator) until none
// changes. The result is compared with a serial union-find.
//
//   graph [VERTICES]       VERTICES: per rank; default 2000
#include <mpi.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace {

using Vertex = std::int64_t;
using Edge = std::pair<Vertex, Vertex>;

// Returns a random graph, the same on every rank: sparse, mostly local, with a few long edges for irregular
// neighbours of the ranks, and with several components.
std::vector<Edge> draw_graph(Vertex vertices, Vertex a_rank) {
  std::mt19937_64 random(2005);
  std::vector<Edge> edges;
  const Vertex island = vertices / 5 + 1;
  for (Vertex i = 0; i < vertices; ++i) {
    const bool far = random() % 50 == 0;
    const auto reach = static_cast<std::uint64_t>(far ? vertices : a_rank / 8 + 1);
    const Vertex other = (i + 1 + static_cast<Vertex>(random() % reach)) % vertices;
    if (i / island == other / island) edges.emplace_back(i, other);
  }
  return edges;
}

std::vector<Vertex> components_serially(Vertex vertices, const std::vector<Edge>& edges) {
  std::vector<Vertex> parent(static_cast<std::size_t>(vertices));
  std::iota(parent.begin(), parent.end(), Vertex{0});
  const auto root = [&](Vertex v) {
    while (parent[static_cast<std::size_t>(v)] != v) {
      auto& up = parent[static_cast<std::size_t>(v)];
      up = parent[static_cast<std::size_t>(up)];
      v = up;
    }
    return v;
  };
  for (auto [a, b] : edges) {
    a = root(a), b = root(b);
    parent[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);  // the root is the smallest vertex
  }
  std::vector<Vertex> label(static_cast<std::size_t>(vertices));
  for (Vertex v = 0; v < vertices; ++v) label[static_cast<std::size_t>(v)] = root(v);
  return label;
}

/// Returns the N-th argument as a number; `otherwise` when it is missing or no number.
int number(int argc, char** argv, int n, int otherwise) {
  int value = otherwise;
  if (n < argc) {
    const char* end = argv[n] + std::strlen(argv[n]);
    if (const auto [stop, error] = std::from_chars(argv[n], end, value); error != std::errc{} || stop != end)
      value = otherwise;
  }
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const Vertex a_rank = std::max(Vertex{number(argc, argv, 1, 2000)}, Vertex{1});
  const Vertex vertices = a_rank * ranks, first = a_rank * rank;
  const std::vector<Edge> edges = draw_graph(vertices, a_rank);
  const auto owner = [&](Vertex v) { return static_cast<int>(v / a_rank); };

  // For each neighbour rank, the edges to it: it needs the labels of their local vertices. Both sides get the
  // same order.
  std::map<int, std::vector<Edge>> shared;  // neighbour -> (mine, its)
  std::vector<Edge> local;
  for (auto [a, b] : edges) {
    if (owner(a) == rank && owner(b) == rank) local.emplace_back(a, b);
    if (owner(a) == owner(b)) continue;
    if (owner(a) == rank) shared[owner(b)].emplace_back(a, b);
    if (owner(b) == rank) shared[owner(a)].emplace_back(b, a);
  }
  std::vector<int> neighbours, counts, offsets;
  std::vector<Edge> crossing;
  for (const auto& [neighbour, list] : shared) {
    neighbours.push_back(neighbour);
    offsets.push_back(static_cast<int>(crossing.size()));
    counts.push_back(static_cast<int>(list.size()));
    crossing.insert(crossing.end(), list.begin(), list.end());
  }
  const int degree = static_cast<int>(neighbours.size());
  MPI_Comm graph = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, degree, neighbours.data(), MPI_UNWEIGHTED, degree,
                                 neighbours.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);

  std::vector<Vertex> label(static_cast<std::size_t>(a_rank));
  std::iota(label.begin(), label.end(), first);
  const auto mine = [&](Vertex v) -> Vertex& { return label[static_cast<std::size_t>(v - first)]; };
  std::vector<Vertex> out(crossing.size()), in(crossing.size());
  int rounds = 0;
  for (int changed = 1; changed != 0; ++rounds) {
    changed = 0;
    const auto lower = [&](Vertex& to, Vertex from) {
      if (from < to) to = from, changed = 1;
    };
    for (bool again = true; again;) {
      again = false;
      for (auto [a, b] : local) {
        const Vertex least = std::min(mine(a), mine(b));
        again = again || mine(a) != mine(b);
        lower(mine(a), least);
        lower(mine(b), least);
      }
    }
    for (std::size_t i = 0; i < crossing.size(); ++i) out[i] = mine(crossing[i].first);
    MPI_Neighbor_alltoallv(out.data(), counts.data(), offsets.data(), MPI_INT64_T, in.data(), counts.data(),
                           offsets.data(), MPI_INT64_T, graph);
    for (std::size_t i = 0; i < crossing.size(); ++i) lower(mine(crossing[i].first), in[i]);
    MPI_Allreduce(MPI_IN_PLACE, &changed, 1, MPI_INT, MPI_MAX, graph);
  }

  const std::vector<Vertex> expected = components_serially(vertices, edges);
  long wrong = 0;
  for (Vertex v = first; v < first + a_rank; ++v) wrong += mine(v) != expected[static_cast<std::size_t>(v)];
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    std::printf("graph: %ld vertices, %zu edges, %d rounds: %s\n", static_cast<long>(vertices), edges.size(),
                rounds, wrong == 0 ? "components equal to the serial result" : "WRONG");
  MPI_Comm_free(&graph);
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
