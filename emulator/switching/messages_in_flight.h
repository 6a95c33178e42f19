// Messages that a driver has sent and a technique has not delivered, and the checks of every run: each
// message is delivered once, complete, after its last word left the PE, and in order per connection.
//
// A violation is a fault of the technique, never of the traffic. It throws std::logic_error with the message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/connection.h"
#include "core/pool.h"
#include "core/units.h"
#include "emulator/network/technique.h"

namespace hybrid {

/// Numbers of messages sent and delivered of each connection since it last had none in flight. Only
/// connections with messages in flight have an entry, so that the table is small. A hash table with open
/// addressing, because each message uses it twice. Counts are modulo 2^32.
class ConnectionOrders {
 public:
  /// Counts a message sent. Returns the previous count.
  std::uint32_t send(Connection c) {
    std::size_t at = place(c);
    if (!taken(at)) {
      if (2 * ++used_ > orders_.size()) {
        grow();
        at = place(c);
      }
      orders_[at].connection = c;
    }
    return orders_[at].sent++;
  }
  /// Counts a message delivered. Returns the previous count. Requires: the message was sent.
  std::uint32_t deliver(Connection c) {
    const std::size_t at = place(c);
    Order& order = orders_[at];
    const std::uint32_t before = order.delivered++;
    if (order.delivered == order.sent) forget(at);
    return before;
  }
  std::size_t connections() const { return used_; }

 private:
  struct alignas(16) Order {
    Connection connection{kNoPort, kNoPort};
    std::uint32_t sent = 0, delivered = 0;
  };

  bool taken(std::size_t at) const { return orders_[at].connection.source != kNoPort; }
  std::size_t next(std::size_t at) const { return (at + 1) & (orders_.size() - 1); }
  /// First place of the search for `c`. The upper bits of the product depend on all bits of both ports.
  std::size_t home(Connection c) const {
    const std::uint64_t key = std::uint64_t{c.source} << 32 | c.destination;
    return static_cast<std::size_t>(key * 0x9e3779b97f4a7c15 >> shift_);
  }
  /// Place of `c`, or the free place for it.
  std::size_t place(Connection c) const {
    std::size_t at = home(c);
    while (taken(at) && orders_[at].connection != c) at = next(at);
    return at;
  }
  /// Removes an entry. Entries that it displaced move up.
  void forget(std::size_t hole) {
    --used_;
    for (std::size_t at = next(hole); taken(at); at = next(at)) {
      const std::size_t mask = orders_.size() - 1;
      if (((at - home(orders_[at].connection)) & mask) < ((at - hole) & mask)) continue;
      orders_[hole] = orders_[at];
      hole = at;
    }
    orders_[hole] = Order{};
  }
  void grow() {
    std::vector<Order> before(2 * orders_.size());
    before.swap(orders_);
    --shift_;
    for (const Order& order : before)
      if (order.connection.source != kNoPort) orders_[place(order.connection)] = order;
  }

  static constexpr int kFirstBits = 6;
  std::vector<Order> orders_ = std::vector<Order>(std::size_t{1} << kFirstBits);  // at most half of it used
  int shift_ = 64 - kFirstBits;
  std::size_t used_ = 0;
};

/// `Note`: data that the driver stores with each message.
template <class Note>
class MessagesInFlight {
 public:
  /// `injections_reported`: injected() must be called for each message before delivered(). Otherwise it is
  /// optional.
  explicit MessagesInFlight(bool injections_reported = true) : injections_reported_(injections_reported) {}

  /// Returns a new message for the technique. Its id has its place here in the lower 32 bits and a serial
  /// number above.
  Message add(Connection connection, Bytes bytes, const Note& note) {
    const std::uint32_t place = flights_.acquire_as_left();
    const Message message{sent_++ << 32 | place, connection, bytes};
    flights_[place] = {message.id, connection, bytes, orders_.send(connection), note, State::sent};
    return message;
  }

  /// The last word has left the PE, as the technique reports.
  const Note& injected(const Message& message) {
    Flight& flight = find(message);
    if (flight.state != State::sent) fault(message, "has left its PE twice");
    flight.state = State::injected;
    return flight.note;
  }

  /// The last word has arrived, as the technique reports. Removes the message.
  Note delivered(const Message& message) {
    Flight& flight = find(message);
    if (injections_reported_ && flight.state != State::injected)
      fault(message, "is delivered before it has left its PE");
    if (flight.connection != message.connection || flight.bytes != message.bytes)
      fault(message, "is not delivered as it was sent");
    if (flight.order != orders_.deliver(message.connection))
      fault(message, "overtakes another of its connection");
    ++delivered_;
    bytes_ += message.bytes;
    flight.state = State::none;
    flights_.release(static_cast<std::uint32_t>(message.id));
    return flight.note;
  }

  std::uint64_t count() const { return sent_ - delivered_; }
  std::uint64_t sent() const { return sent_; }

  /// Checks, at the end of a run, that every message was delivered and that the technique counted the same.
  void check_all_delivered(const TechniqueStatistics& statistics) const {
    if (count() != 0) throw std::logic_error("messages were lost: " + std::to_string(count()));
    if (statistics.messages != delivered_ || statistics.bytes != bytes_)
      throw std::logic_error("a technique counted other messages than it delivered");
  }

 private:
  enum class State : std::uint8_t { none, sent, injected };
  /// One cache line, with a note of up to three words.
  struct alignas(64) Flight {
    std::uint64_t id = 0;
    Connection connection;
    Bytes bytes = 0;
    std::uint32_t order = 0;  // among its connection's
    Note note{};
    State state = State::none;
  };
  Flight& find(const Message& message) {
    const auto place = static_cast<std::uint32_t>(message.id);
    if (place >= flights_.slots() || flights_[place].state == State::none || flights_[place].id != message.id)
      fault(message, "is delivered twice, or was never sent");
    return flights_[place];
  }
  [[noreturn]] static void fault(const Message& message, const char* what) {
    throw std::logic_error("message " + std::to_string(message.id >> 32) + " from " +
                           std::to_string(message.connection.source) + " to " +
                           std::to_string(message.connection.destination) + " " + what);
  }

  bool injections_reported_;
  Pool<Flight> flights_;
  ConnectionOrders orders_;
  std::uint64_t sent_ = 0, delivered_ = 0;
  Bytes bytes_ = 0;
};

}  // namespace hybrid
