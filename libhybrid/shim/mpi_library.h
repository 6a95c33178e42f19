// The MPI functions that the shim itself calls, by their PMPI names and without its own wrappers.
#pragma once

#include <mpi.h>

#include <utility>

#include "libhybrid/shim/interposition.h"

namespace hybrid::shim::mpi {

template <class Signature>
class Function;
template <class Result, class... Parameters>
class Function<Result (*)(Parameters...)> {
 public:
  constexpr explicit Function(const char* name) : next_(name) {}
  Result operator()(Parameters... arguments) { return next_.get()(arguments...); }

 private:
  NextFunction<Result (*)(Parameters...)> next_;
};

// NOLINTNEXTLINE(bugprone-macro-parentheses): a declared name cannot be in parentheses
#define HYBRID_MPI_FUNCTION(name) inline constinit Function<decltype(&PMPI_##name)> name{"PMPI_" #name};
HYBRID_MPI_FUNCTION(Allgather)
HYBRID_MPI_FUNCTION(Allreduce)
HYBRID_MPI_FUNCTION(Alltoall)
HYBRID_MPI_FUNCTION(Barrier)
HYBRID_MPI_FUNCTION(Bcast)
HYBRID_MPI_FUNCTION(Cart_get)
HYBRID_MPI_FUNCTION(Cart_shift)
HYBRID_MPI_FUNCTION(Cartdim_get)
HYBRID_MPI_FUNCTION(Comm_create_from_group)
HYBRID_MPI_FUNCTION(Comm_dup)
HYBRID_MPI_FUNCTION(Comm_free)
HYBRID_MPI_FUNCTION(Comm_get_parent)
HYBRID_MPI_FUNCTION(Comm_group)
HYBRID_MPI_FUNCTION(Comm_rank)
HYBRID_MPI_FUNCTION(Comm_remote_group)
HYBRID_MPI_FUNCTION(Comm_set_errhandler)
HYBRID_MPI_FUNCTION(Comm_size)
HYBRID_MPI_FUNCTION(Comm_split)
HYBRID_MPI_FUNCTION(Comm_split_type)
HYBRID_MPI_FUNCTION(Comm_test_inter)
HYBRID_MPI_FUNCTION(Dims_create)
HYBRID_MPI_FUNCTION(Dist_graph_neighbors)
HYBRID_MPI_FUNCTION(Dist_graph_neighbors_count)
HYBRID_MPI_FUNCTION(Error_class)
HYBRID_MPI_FUNCTION(Finalize)
HYBRID_MPI_FUNCTION(Finalized)
HYBRID_MPI_FUNCTION(Get_library_version)
HYBRID_MPI_FUNCTION(Graph_neighbors)
HYBRID_MPI_FUNCTION(Graph_neighbors_count)
HYBRID_MPI_FUNCTION(Group_free)
HYBRID_MPI_FUNCTION(Group_from_session_pset)
HYBRID_MPI_FUNCTION(Group_rank)
HYBRID_MPI_FUNCTION(Group_size)
HYBRID_MPI_FUNCTION(Group_translate_ranks)
HYBRID_MPI_FUNCTION(Improbe)
HYBRID_MPI_FUNCTION(Initialized)
HYBRID_MPI_FUNCTION(Isend)
HYBRID_MPI_FUNCTION(Mrecv)
HYBRID_MPI_FUNCTION(Query_thread)
HYBRID_MPI_FUNCTION(Test)
HYBRID_MPI_FUNCTION(Topo_test)
HYBRID_MPI_FUNCTION(Type_size_x)
HYBRID_MPI_FUNCTION(Win_get_group)
#undef HYBRID_MPI_FUNCTION

}  // namespace hybrid::shim::mpi
