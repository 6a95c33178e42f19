// The driver's receives: which message each gets is settled when it is posted, where the trace tells it by
// then, as MPI does (MPI 4.0, 3.5): of two with the same sender, tag and communicator the one posted first
// gets the message sent first, in whatever order they are completed.
#include "emulator/replay/job_driver.h"

namespace hybrid {

ChannelKey JobDriver::received_by(const Location& location) const {
  const Operation& op = location.operation;
  return {op.peer, location.rank, ChannelKey::point_to_point(op.communicator, op.tag)};
}

void JobDriver::post(const Location& location) {
  std::uint32_t number = 0;
  if (free_posts_.empty()) {
    number = static_cast<std::uint32_t>(posts_.size());
    posts_.emplace_back();
  } else {
    number = free_posts_.back();
    free_posts_.pop_back();
    posts_[number] = {};
  }
  posts_[number].transit = matching_.received(received_by(location), number | kPostBit);
  remember(location, {Request::Of::receive, number});
}

void JobDriver::meet(std::uint32_t number, std::uint32_t transit) {
  Post& post = posts_[number];
  if (!post.abandoned && post.waiter == kNobody) {
    post.transit = transit;
    return;
  }
  if (post.abandoned)
    release(transit);
  else
    transits_[transit].delivery_waiter = post.waiter;
  free_posts_.push_back(number);
}

bool JobDriver::complete_receive(std::uint32_t index) {
  const Location& location = locations_[index];
  auto& requests = ranks_[location.rank].requests;
  const auto found = requests.find(location.operation.request);
  // Its match was not known when it was posted: those that complete later come after it.
  if (found == requests.end() || found->second.of != Request::Of::receive)
    return receive(received_by(location), index);
  const std::uint32_t number = found->second.handle;
  requests.erase(found);
  Post& post = posts_[number];
  if (post.transit == MessageMatching::kNone && !post.dropped) {
    post.waiter = index;
    return false;
  }
  free_posts_.push_back(number);
  if (post.dropped) return true;
  Transit& transit = transits_[post.transit];
  if (!transit.delivered) {
    transit.delivery_waiter = index;
    return false;
  }
  release(post.transit);
  return true;
}

void JobDriver::abandon(std::uint32_t number) {
  Post& post = posts_[number];
  if (post.transit == MessageMatching::kNone && !post.dropped) {
    post.abandoned = true;
    return;
  }
  if (!post.dropped) release(post.transit);
  free_posts_.push_back(number);
}

bool JobDriver::is_awaited(std::uint32_t receive) const {
  return !is_post(receive) || posts_[receive & ~kPostBit].waiter != kNobody;
}

void JobDriver::drop_receive(std::uint32_t receive) {
  if (!is_post(receive)) return wake(receive);
  const std::uint32_t number = receive & ~kPostBit;
  Post& post = posts_[number];
  post.dropped = true;
  if (!post.abandoned && post.waiter == kNobody) return;
  wake(post.waiter);
  free_posts_.push_back(number);
}

}  // namespace hybrid
