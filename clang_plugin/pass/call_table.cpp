#include "clang_plugin/pass/call_table.h"

#include <llvm/ADT/StringMap.h>

namespace hybrid::pass {
namespace {

constexpr uint32_t bits() { return 0; }
template <class... Rest>
constexpr uint32_t bits(int first, Rest... rest) {
  return 1u << first | bits(rest...);
}

std::vector<Call> all_calls() {
  std::vector<Call> calls;
  for (const char* name : {"MPI_Send", "MPI_Ssend", "MPI_Rsend", "MPI_Bsend"})
    calls.push_back({name, 6, bits(0), {{HYBRID_SEND, 1, 2, 3, 4, 5}}});
  for (const char* name : {"MPI_Isend", "MPI_Issend", "MPI_Irsend", "MPI_Ibsend", "MPI_Send_init",
                           "MPI_Ssend_init", "MPI_Rsend_init", "MPI_Bsend_init"})
    calls.push_back({name, 7, bits(0), {{HYBRID_SEND, 1, 2, 3, 4, 5}}});
  for (const char* name : {"MPI_Recv", "MPI_Irecv", "MPI_Recv_init"})
    calls.push_back({name, 7, 0, {{HYBRID_RECEIVE, 1, 2, 3, 4, 5}}});
  calls.push_back({"MPI_Start", 1, bits(0), {{HYBRID_SEND, -1, -1, -1, -1, -1, 0}}});
  calls.push_back({"MPI_Startall", 2, bits(1), {{HYBRID_SEND, 0, -1, -1, -1, -1, 1}}});
  calls.push_back(
      {"MPI_Sendrecv", 12, bits(0), {{HYBRID_SEND, 1, 2, 3, 4, 10}, {HYBRID_RECEIVE, 6, 7, 8, 9, 10}}});
  calls.push_back(
      {"MPI_Sendrecv_replace", 9, 0, {{HYBRID_SEND, 1, 2, 3, 4, 7}, {HYBRID_RECEIVE, 1, 2, 5, 6, 7}}});

  struct Collective {
    const char *blocking, *nonblocking;
    int arguments;
    uint32_t read;
    int count, type, root, communicator;
    bool data;
  };
  const Collective collectives[] = {
      {"MPI_Barrier", "MPI_Ibarrier", 1, 0, -1, -1, -1, 0, false},
      {"MPI_Bcast", "MPI_Ibcast", 5, 0, 1, 2, 3, 4, false},
      {"MPI_Reduce", "MPI_Ireduce", 7, bits(0), 2, 3, 5, 6, false},
      {"MPI_Allreduce", "MPI_Iallreduce", 6, bits(0), 2, 3, -1, 5, false},
      {"MPI_Scan", "MPI_Iscan", 6, bits(0), 2, 3, -1, 5, false},
      {"MPI_Exscan", "MPI_Iexscan", 6, bits(0), 2, 3, -1, 5, false},
      {"MPI_Gather", "MPI_Igather", 8, bits(0), 1, 2, 6, 7, false},
      {"MPI_Scatter", "MPI_Iscatter", 8, bits(0), 1, 2, 6, 7, false},
      {"MPI_Allgather", "MPI_Iallgather", 7, bits(0), 1, 2, -1, 6, false},
      {"MPI_Alltoall", "MPI_Ialltoall", 7, bits(0), 1, 2, -1, 6, false},
      {"MPI_Gatherv", "MPI_Igatherv", 9, bits(0, 4, 5), 1, 2, 7, 8, true},
      {"MPI_Scatterv", "MPI_Iscatterv", 9, bits(0, 1, 2), -1, 3, 7, 8, true},
      {"MPI_Allgatherv", "MPI_Iallgatherv", 8, bits(0, 4, 5), 1, 2, -1, 7, true},
      {"MPI_Alltoallv", "MPI_Ialltoallv", 9, bits(0, 1, 2, 5, 6), -1, 3, -1, 8, true},
      {"MPI_Alltoallw", "MPI_Ialltoallw", 9, bits(0, 1, 2, 3, 5, 6, 7), -1, -1, -1, 8, true},
      {"MPI_Reduce_scatter", "MPI_Ireduce_scatter", 6, bits(0, 2), -1, 3, -1, 5, true},
      {"MPI_Reduce_scatter_block", "MPI_Ireduce_scatter_block", 6, bits(0), 2, 3, -1, 5, false},
      {"MPI_Neighbor_allgather", "MPI_Ineighbor_allgather", 7, bits(0), 1, 2, -1, 6, false},
      {"MPI_Neighbor_alltoall", "MPI_Ineighbor_alltoall", 7, bits(0), 1, 2, -1, 6, false},
      {"MPI_Neighbor_allgatherv", "MPI_Ineighbor_allgatherv", 8, bits(0, 4, 5), 1, 2, -1, 7, true},
      {"MPI_Neighbor_alltoallv", "MPI_Ineighbor_alltoallv", 9, bits(0, 1, 2, 5, 6), -1, 3, -1, 8, true},
      {"MPI_Neighbor_alltoallw", "MPI_Ineighbor_alltoallw", 9, bits(0, 1, 2, 3, 5, 6, 7), -1, -1, -1, 8,
       true},
  };
  for (const Collective& c : collectives) {
    const CallPart part{HYBRID_COLLECTIVE, c.count, c.type, c.root, -1, c.communicator};
    calls.push_back({c.blocking, c.arguments, c.read, {part}, c.data});
    calls.push_back({c.nonblocking, c.arguments + 1, c.read, {part}, c.data});
  }
  /* A window's handle denotes the communicator that it was created from. */
  calls.push_back({"MPI_Put", 8, bits(0), {{HYBRID_ONE_SIDED, 1, 2, 3, -1, 7}}});
  calls.push_back({"MPI_Get", 8, 0, {{HYBRID_ONE_SIDED, 1, 2, 3, -1, 7}}});
  calls.push_back({"MPI_Accumulate", 9, bits(0), {{HYBRID_ONE_SIDED, 1, 2, 3, -1, 8}}});
  calls.push_back({"MPI_Rput", 9, bits(0), {{HYBRID_ONE_SIDED, 1, 2, 3, -1, 7}}});
  calls.push_back({"MPI_Rget", 9, 0, {{HYBRID_ONE_SIDED, 1, 2, 3, -1, 7}}});
  calls.push_back({"MPI_Raccumulate", 10, bits(0), {{HYBRID_ONE_SIDED, 1, 2, 3, -1, 8}}});
  calls.push_back({"MPI_Get_accumulate", 12, bits(0), {{HYBRID_ONE_SIDED, 1, 2, 6, -1, 11}}});
  calls.push_back({"MPI_Fetch_and_op", 7, bits(0), {{HYBRID_ONE_SIDED, -1, 2, 3, -1, 6}}});
  calls.push_back({"MPI_Compare_and_swap", 7, bits(0, 1), {{HYBRID_ONE_SIDED, -1, 3, 4, -1, 6}}});
  return calls;
}

struct Index {
  std::vector<Call> calls = all_calls();
  llvm::StringMap<const Call*> by_symbol;
  Index() {
    const std::size_t plain = calls.size();
    for (std::size_t i = 0; i < plain; ++i) {
      calls.push_back(calls[i]);
      calls.back().name += "_c"; /* with 64-bit counts */
    }
    for (const Call& call : calls) {
      by_symbol[call.name] = &call;
      by_symbol[llvm::StringRef(call.name).lower() + "_"] = &call;
    }
  }
};

}  // namespace

const Call* find_call(llvm::StringRef symbol, bool& fortran) {
  static const Index index;
  const auto found = index.by_symbol.find(symbol);
  if (found == index.by_symbol.end()) return nullptr;
  fortran = symbol.starts_with("mpi_");
  return found->second;
}

CallEffects effects_of(llvm::StringRef name) {
  name.consume_back("_c"); /* with 64-bit counts */
  const bool is_query = name.starts_with("init") || name.starts_with("info_") ||
                        name.starts_with("intercomm_") || name.starts_with("is_") || name == "iprobe" ||
                        name == "improbe";
  const bool of_one = name == "test" || name == "request_get_status";
  CallEffects effects;
  effects.later = (name.starts_with("i") && !is_query) || name.ends_with("_init") ||
                  name.ends_with("_begin") || name.starts_with("file_i");
  effects.any_time = name == "win_create" || name == "win_attach" || name == "win_create_dynamic";
  if (of_one)
    effects.completed = 0;
  else if (name.starts_with("wait") || (name.starts_with("test") && name != "test_cancelled"))
    effects.completed = 1;
  if (name == "get_address" || name == "address") effects.address_kept = 0;
  effects.ends_epoch = name == "win_fence" || name == "win_wait" || name == "win_test" ||
                       name == "win_complete" || name.starts_with("win_unlock") ||
                       name.starts_with("win_flush");
  effects.receives = name == "mrecv" || name == "imrecv" || name == "unpack" || name == "unpack_external" ||
                     name.starts_with("file_read") || name.starts_with("file_iread");
  return effects;
}

bool writes_later(const Call& call) {
  const llvm::StringRef name = call.name;
  return name.starts_with("MPI_I") || name.contains("_init") || call.parts[0].kind == HYBRID_ONE_SIDED;
}

bool exposes_memory(llvm::StringRef name) {
  name.consume_back("_c");
  return effects_of(name).any_time || name.starts_with("win_allocate") || name == "op_create" ||
         name.ends_with("create_errhandler") || name.ends_with("errhandler_create") ||
         name.ends_with("create_keyval") || name.ends_with("keyval_create") || name == "grequest_start";
}

bool is_mpi(llvm::StringRef symbol, bool& fortran) {
  fortran = symbol.starts_with("mpi_");
  return fortran || symbol.starts_with("MPI_") || symbol.starts_with("PMPI_");
}

}  // namespace hybrid::pass
