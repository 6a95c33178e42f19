#include "libhybrid/shim/live_exchange.h"

#include <algorithm>

#include "libhybrid/shim/mpi_library.h"

namespace hybrid::shim {

void MpiLiveExchange::broadcast_on_host(std::span<std::byte> data) {
  mpi::Bcast(data.data(), static_cast<int>(data.size()), MPI_BYTE, 0, host_comm_);
}

bool MpiLiveExchange::all_in_job(bool mine) {
  int one = mine ? 1 : 0, all = 0;
  mpi::Allreduce(&one, &all, 1, MPI_INT, MPI_MIN, job_comm_);
  return all != 0;
}

MpiHostLink::MpiHostLink(MPI_Comm first_ranks) : comm_(first_ranks) {
  int hosts = 0;
  mpi::Comm_size(comm_, &hosts);
  sent_.resize(static_cast<std::size_t>(hosts));
  received_.resize(static_cast<std::size_t>(hosts));
}

MpiHostLink::~MpiHostLink() {
  for (Outgoing* each : outgoing_)
    if (each->request == MPI_REQUEST_NULL) delete each;  // MPI may still read from the others
}

void MpiHostLink::finish() {
  if (comm_ == MPI_COMM_NULL) return;
  std::vector<int> expected(sent_.size());
  mpi::Alltoall(sent_.data(), 1, MPI_INT, expected.data(), 1, MPI_INT, comm_);
  std::array<std::byte, kLiveMessageBytes> ignored;
  while (received_ != expected) receive(ignored);
  // Every rank receives what is sent to it, so all requests complete.
  for (Outgoing* each : outgoing_) {
    int done = 0;
    while (each->request != MPI_REQUEST_NULL && done == 0)
      if (mpi::Test(&each->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) break;
  }
  mpi::Comm_free(&comm_);
}

bool MpiHostLink::send(std::uint32_t host, std::span<const std::byte> message) {
  if (message.size() > kLiveMessageBytes) return false;
  Outgoing* place = nullptr;
  for (Outgoing* each : outgoing_) {
    int done = 1;
    if (each->request != MPI_REQUEST_NULL) mpi::Test(&each->request, &done, MPI_STATUS_IGNORE);
    if (done != 0) {
      place = each;
      break;
    }
  }
  if (place == nullptr) {
    if (outgoing_.size() == kMostOutgoing) return false;
    outgoing_.push_back(new Outgoing);
    place = outgoing_.back();
  }
  std::copy(message.begin(), message.end(), place->message.begin());
  if (mpi::Isend(place->message.data(), static_cast<int>(message.size()), MPI_BYTE, static_cast<int>(host), 0,
                 comm_, &place->request) != MPI_SUCCESS)
    return false;
  ++sent_[host];
  return true;
}

std::size_t MpiHostLink::receive(std::span<std::byte> buffer) {
  int found = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  if (mpi::Improbe(MPI_ANY_SOURCE, 0, comm_, &found, &message, &status) != MPI_SUCCESS || found == 0)
    return 0;
  mpi::Mrecv(buffer.data(), static_cast<int>(buffer.size()), MPI_BYTE, &message, &status);
  ++received_[static_cast<std::size_t>(status.MPI_SOURCE)];
  return static_cast<std::size_t>(status.count_lo);
}

}  // namespace hybrid::shim
