// OTF2's event callbacks: each converts one kind of event for Otf2Stream.
#include <fmt/format.h>

#include <memory>

#include "emulator/replay/otf2_stream.h"

namespace hybrid {

struct Otf2Events {
  using Kind = Operation::Kind;
  using Attributes = OTF2_AttributeList*;

  static Otf2Stream& begin(void* data, OTF2_TimeStamp tick) {
    Otf2Stream& stream = *static_cast<Otf2Stream*>(data);
    stream.event(tick);
    return stream;
  }
  static OTF2_CallbackCode result(bool good) {
    return good ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_INTERRUPT;
  }
  static bool region(Otf2Stream& s, OTF2_RegionRef ref, std::uint64_t position, std::uint32_t& index) {
    const auto found = s.definitions_.region_of.find(ref);
    if (found == s.definitions_.region_of.end())
      return s.fail(position, fmt::format("region {} is not defined", ref));
    index = found->second;
    return true;
  }

  static OTF2_CallbackCode unknown(OTF2_LocationRef, OTF2_TimeStamp tick, std::uint64_t, void* data,
                                   Attributes) {
    begin(data, tick);
    return OTF2_CALLBACK_SUCCESS;
  }
  static OTF2_CallbackCode buffer_flush(OTF2_LocationRef, OTF2_TimeStamp tick, std::uint64_t, void* data,
                                        Attributes, OTF2_TimeStamp stop) {
    Otf2Stream& s = begin(data, tick);
    if (s.depth_ == 0 && stop > tick) s.excluded_ += stop - tick;
    return OTF2_CALLBACK_SUCCESS;
  }
  static OTF2_CallbackCode enter(OTF2_LocationRef, OTF2_TimeStamp tick, std::uint64_t position, void* data,
                                 Attributes attributes, OTF2_RegionRef ref) {
    Otf2Stream& s = begin(data, tick);
    std::uint32_t index = 0;
    if (!region(s, ref, position, index)) return result(false);
    s.enter(tick, index, attributes);
    return OTF2_CALLBACK_SUCCESS;
  }
  static OTF2_CallbackCode leave(OTF2_LocationRef, OTF2_TimeStamp tick, std::uint64_t position, void* data,
                                 Attributes attributes, OTF2_RegionRef ref) {
    Otf2Stream& s = begin(data, tick);
    std::uint32_t index = 0;
    if (!region(s, ref, position, index)) return result(false);
    s.leave(tick, index, attributes);
    return OTF2_CALLBACK_SUCCESS;
  }
  static OTF2_CallbackCode context_enter(OTF2_LocationRef, OTF2_TimeStamp tick, std::uint64_t, void* data,
                                         Attributes attributes, OTF2_CallingContextRef context,
                                         std::uint32_t) {
    Otf2Stream& s = begin(data, tick);
    const auto found = s.definitions_.contexts.find(context);
    if (found != s.definitions_.contexts.end())
      s.enter(tick, found->second.region, attributes, s.definitions_.call_site_of(found->second.parent));
    return OTF2_CALLBACK_SUCCESS;
  }
  static OTF2_CallbackCode context_leave(OTF2_LocationRef, OTF2_TimeStamp tick, std::uint64_t, void* data,
                                         Attributes attributes, OTF2_CallingContextRef context) {
    Otf2Stream& s = begin(data, tick);
    const auto found = s.definitions_.contexts.find(context);
    if (found != s.definitions_.contexts.end()) s.leave(tick, found->second.region, attributes);
    return OTF2_CALLBACK_SUCCESS;
  }

  static bool transfer(Otf2Stream& s, Kind kind, bool waits, OTF2_TimeStamp tick, std::uint64_t position,
                       Attributes attributes, std::uint32_t peer, OTF2_CommRef ref, std::uint32_t tag,
                       std::uint64_t bytes, std::uint64_t request) {
    std::uint32_t communicator = 0, world = 0;
    if (!s.communicator(ref, position, communicator) || !s.peer(communicator, peer, position, world))
      return false;
    Operation& operation = s.communicate(kind, tick, waits);
    operation.peer = world;
    operation.communicator = communicator;
    operation.tag = static_cast<std::int32_t>(tag);
    operation.bytes = bytes;
    operation.request = request;
    operation.completed = s.definitions_.time_of(tick);
    std::uint8_t mode = 0;
    if (read_attribute(attributes, s.definitions_.ours.send_mode, OTF2_AttributeList_GetUint8, mode)) {
      if (mode > static_cast<std::uint8_t>(SendMode::ready))
        return s.fail(position, fmt::format("no send mode has the number {}", mode));
      operation.mode = static_cast<SendMode>(mode);
    }
    return true;
  }
  static OTF2_CallbackCode send(OTF2_LocationRef, OTF2_TimeStamp tick, std::uint64_t position, void* data,
                                Attributes a, std::uint32_t peer, OTF2_CommRef c, std::uint32_t tag,
                                std::uint64_t bytes) {
    return result(transfer(begin(data, tick), Kind::send, false, tick, position, a, peer, c, tag, bytes, 0));
  }
  static OTF2_CallbackCode isend(OTF2_LocationRef, OTF2_TimeStamp tick, std::uint64_t position, void* data,
                                 Attributes a, std::uint32_t peer, OTF2_CommRef c, std::uint32_t tag,
                                 std::uint64_t bytes, std::uint64_t request) {
    return result(transfer(begin(data, tick), Kind::send_start, false, tick, position, a, peer, c, tag, bytes,
                           request));
  }
  static OTF2_CallbackCode recv(OTF2_LocationRef, OTF2_TimeStamp tick, std::uint64_t position, void* data,
                                Attributes a, std::uint32_t peer, OTF2_CommRef c, std::uint32_t tag,
                                std::uint64_t bytes) {
    return result(transfer(begin(data, tick), Kind::recv, true, tick, position, a, peer, c, tag, bytes, 0));
  }
  static OTF2_CallbackCode irecv(OTF2_LocationRef, OTF2_TimeStamp tick, std::uint64_t position, void* data,
                                 Attributes a, std::uint32_t peer, OTF2_CommRef c, std::uint32_t tag,
                                 std::uint64_t bytes, std::uint64_t request) {
    Otf2Stream& s = begin(data, tick);
    if (!transfer(s, Kind::recv_complete, true, tick, position, a, peer, c, tag, bytes, request))
      return result(false);
    s.end_post(request, &s.queue_.at(s.queue_.tail() - 1).operation);
    return OTF2_CALLBACK_SUCCESS;
  }
  template <Operation::Kind kKind, bool kWaits>
  static OTF2_CallbackCode request(OTF2_LocationRef, OTF2_TimeStamp tick, std::uint64_t, void* data,
                                   Attributes, std::uint64_t id) {
    Otf2Stream& s = begin(data, tick);
    s.communicate(kKind, tick, kWaits).request = id;
    if constexpr (kKind == Kind::recv_post) s.add_post(id);
    if constexpr (kKind == Kind::cancelled) s.end_post(id, nullptr);
    return OTF2_CALLBACK_SUCCESS;
  }

  static OTF2_CallbackCode collective_begin(OTF2_LocationRef, OTF2_TimeStamp tick, std::uint64_t, void* data,
                                            Attributes) {
    Otf2Stream& s = begin(data, tick);
    if (s.depth_ == 0) s.end_compute(tick, nullptr);  // the rank waits from here on
    return OTF2_CALLBACK_SUCCESS;
  }
  static bool moves_data(Otf2Stream& s, OTF2_CollectiveOp op, Attributes attributes) {
    CollectiveOp ignored{};
    return collective_of_otf2(op, ignored) ||
           (s.definitions_.ours.collective != OTF2_UNDEFINED_ATTRIBUTE &&
            OTF2_AttributeList_TestAttributeByID(attributes, s.definitions_.ours.collective));
  }
  static OTF2_CallbackCode collective_end(OTF2_LocationRef, OTF2_TimeStamp tick, std::uint64_t position,
                                          void* data, Attributes attributes, OTF2_CollectiveOp op,
                                          OTF2_CommRef ref, std::uint32_t root, std::uint64_t sent,
                                          std::uint64_t received) {
    Otf2Stream& s = begin(data, tick);
    std::uint32_t communicator = 0;
    if (!moves_data(s, op, attributes)) return OTF2_CALLBACK_SUCCESS;
    if (!s.communicator(ref, position, communicator)) return result(false);
    Operation& operation = s.communicate(Kind::collective, tick, true);
    return result(s.describe(operation, op, communicator, root, sent, received, attributes, position));
  }
  static OTF2_CallbackCode collective_request(OTF2_LocationRef, OTF2_TimeStamp tick, std::uint64_t position,
                                              void* data, Attributes attributes, std::uint64_t id) {
    Otf2Stream& s = begin(data, tick);
    Operation& operation = s.communicate(Kind::collective_start, tick, false);
    operation.request = id;
    const Otf2Definitions::Ours& ours = s.definitions_.ours;
    OTF2_CommRef ref = 0;
    if (!read_attribute(attributes, ours.communicator, OTF2_AttributeList_GetCommRef, ref)) {
      const std::uint64_t number = s.queue_.tail() - 1;
      s.queue_.at(number).open = true;
      s.open_[id] = number;
      return OTF2_CALLBACK_SUCCESS;
    }
    std::uint32_t communicator = 0, root = OTF2_COLLECTIVE_ROOT_NONE;
    if (!s.communicator(ref, position, communicator)) return result(false);
    read_attribute(attributes, ours.root, OTF2_AttributeList_GetUint32, root);
    return result(
        s.describe(operation, OTF2_COLLECTIVE_OP_BARRIER, communicator, root, 0, 0, attributes, position));
  }
  static OTF2_CallbackCode collective_complete(OTF2_LocationRef, OTF2_TimeStamp tick, std::uint64_t position,
                                               void* data, Attributes attributes, OTF2_CollectiveOp op,
                                               OTF2_CommRef ref, std::uint32_t root, std::uint64_t sent,
                                               std::uint64_t received, std::uint64_t id) {
    Otf2Stream& s = begin(data, tick);
    const auto open = s.open_.find(id);
    if (open != s.open_.end()) {
      OperationQueue::Entry& entry = s.queue_.at(open->second);
      s.open_.erase(open);
      entry.open = false;
      std::uint32_t communicator = 0;
      entry.dropped = !moves_data(s, op, attributes);
      if (!entry.dropped &&
          (!s.communicator(ref, position, communicator) ||
           !s.describe(entry.operation, op, communicator, root, sent, received, attributes, position)))
        return result(false);
      if (entry.dropped) return OTF2_CALLBACK_SUCCESS;
    }
    s.communicate(Kind::collective_complete, tick, true).request = id;
    return OTF2_CALLBACK_SUCCESS;
  }

  static OTF2_CallbackCode parameter(OTF2_LocationRef, OTF2_TimeStamp tick, std::uint64_t position,
                                     void* data, Attributes attributes, OTF2_ParameterRef ref,
                                     std::uint64_t value) {
    Otf2Stream& s = begin(data, tick);
    const Otf2Definitions::Ours& ours = s.definitions_.ours;
    if (ref == OTF2_UNDEFINED_PARAMETER) return OTF2_CALLBACK_SUCCESS;
    if (ref == ours.flush) {
      if (s.depth_ == 0) s.end_compute(tick, attributes);
      s.add(Kind::flush, tick);
    } else if (ref == ours.hint) {
      if (value >= s.definitions_.ranks)
        return result(
            s.fail(position, fmt::format("a hint names rank {} of {}", value, s.definitions_.ranks)));
      s.add(Kind::hint, tick).peer = static_cast<std::uint32_t>(value);
    } else if (ref == ours.count_sent || ref == ours.count_received) {
      std::uint32_t peer = 0;
      if (!read_attribute(attributes, ours.peer, OTF2_AttributeList_GetUint32, peer))
        return result(s.fail(position, "the count of a collective has no peer"));
      s.add_count(ref == ours.count_sent, peer, value);
    }
    return OTF2_CALLBACK_SUCCESS;
  }

  static bool access(Otf2Stream& s, Kind kind, OTF2_TimeStamp tick, std::uint64_t position,
                     OTF2_RmaWinRef win, std::uint32_t remote, std::uint64_t bytes) {
    std::uint32_t communicator = 0, world = 0;
    if (!s.window(win, position, communicator) || !s.peer(communicator, remote, position, world))
      return false;
    Operation& operation = s.communicate(kind, tick, false);
    operation.peer = world;
    operation.communicator = communicator;
    operation.window = win;
    operation.bytes = bytes;
    return true;
  }
  static OTF2_CallbackCode put(OTF2_LocationRef, OTF2_TimeStamp tick, std::uint64_t position, void* data,
                               Attributes, OTF2_RmaWinRef win, std::uint32_t remote, std::uint64_t bytes,
                               std::uint64_t) {
    return result(access(begin(data, tick), Kind::put, tick, position, win, remote, bytes));
  }
  static OTF2_CallbackCode get(OTF2_LocationRef, OTF2_TimeStamp tick, std::uint64_t position, void* data,
                               Attributes, OTF2_RmaWinRef win, std::uint32_t remote, std::uint64_t bytes,
                               std::uint64_t) {
    return result(access(begin(data, tick), Kind::get, tick, position, win, remote, bytes));
  }
  /// The data that an atomic operation fetches arrive as those of a get.
  static OTF2_CallbackCode atomic(OTF2_LocationRef, OTF2_TimeStamp tick, std::uint64_t position, void* data,
                                  Attributes, OTF2_RmaWinRef win, std::uint32_t remote, OTF2_RmaAtomicType,
                                  std::uint64_t sent, std::uint64_t received, std::uint64_t) {
    Otf2Stream& s = begin(data, tick);
    return result(
        ((sent == 0 && received != 0) || access(s, Kind::accumulate, tick, position, win, remote, sent)) &&
        (received == 0 || access(s, Kind::get, tick, position, win, remote, received)));
  }
  static OTF2_CallbackCode rma_collective_begin(OTF2_LocationRef location, OTF2_TimeStamp tick,
                                                std::uint64_t position, void* data, Attributes attributes) {
    return collective_begin(location, tick, position, data, attributes);
  }
  static OTF2_CallbackCode rma_collective_end(OTF2_LocationRef, OTF2_TimeStamp tick, std::uint64_t position,
                                              void* data, Attributes attributes, OTF2_CollectiveOp op,
                                              OTF2_RmaSyncLevel, OTF2_RmaWinRef win, std::uint32_t root,
                                              std::uint64_t sent, std::uint64_t received) {
    Otf2Stream& s = begin(data, tick);
    if (op == OTF2_COLLECTIVE_OP_BARRIER)
      return result(s.synchronise(win, OTF2_UNDEFINED_UINT32, RmaSync::fence, tick, position, attributes));
    std::uint32_t communicator = 0;
    if (!moves_data(s, op, attributes)) return OTF2_CALLBACK_SUCCESS;
    if (!s.window(win, position, communicator)) return result(false);
    Operation& operation = s.communicate(Kind::collective, tick, true);
    return result(s.describe(operation, op, communicator, root, sent, received, attributes, position));
  }
  static OTF2_CallbackCode rma_group_sync(OTF2_LocationRef, OTF2_TimeStamp tick, std::uint64_t position,
                                          void* data, Attributes attributes, OTF2_RmaSyncLevel,
                                          OTF2_RmaWinRef win, OTF2_GroupRef group) {
    return result(
        begin(data, tick)
            .synchronise(win, OTF2_UNDEFINED_UINT32, RmaSync::complete, tick, position, attributes, group));
  }
  static OTF2_CallbackCode acquire_lock(OTF2_LocationRef, OTF2_TimeStamp tick, std::uint64_t position,
                                        void* data, Attributes attributes, OTF2_RmaWinRef win,
                                        std::uint32_t remote, std::uint64_t, OTF2_LockType) {
    return result(begin(data, tick).synchronise(win, remote, RmaSync::lock, tick, position, attributes));
  }
  static OTF2_CallbackCode release_lock(OTF2_LocationRef, OTF2_TimeStamp tick, std::uint64_t position,
                                        void* data, Attributes attributes, OTF2_RmaWinRef win,
                                        std::uint32_t remote, std::uint64_t) {
    return result(begin(data, tick).synchronise(win, remote, RmaSync::unlock, tick, position, attributes));
  }
  static OTF2_CallbackCode rma_sync(OTF2_LocationRef, OTF2_TimeStamp tick, std::uint64_t position, void* data,
                                    Attributes attributes, OTF2_RmaWinRef win, std::uint32_t remote,
                                    OTF2_RmaSyncType) {
    return result(begin(data, tick).synchronise(win, remote, RmaSync::flush, tick, position, attributes));
  }
  /// Score-P records the completion of each access of a synchronising call; one operation per call is enough.
  static OTF2_CallbackCode rma_completed(OTF2_LocationRef, OTF2_TimeStamp tick, std::uint64_t position,
                                         void* data, Attributes attributes, OTF2_RmaWinRef win,
                                         std::uint64_t) {
    Otf2Stream& s = begin(data, tick);
    if (s.depth_ > 0 && s.synchronised_call_ == s.region_calls_) return OTF2_CALLBACK_SUCCESS;
    return result(s.synchronise(win, OTF2_UNDEFINED_UINT32, RmaSync::flush, tick, position, attributes));
  }
};

namespace {

using Callbacks = std::unique_ptr<OTF2_EvtReaderCallbacks, decltype(&OTF2_EvtReaderCallbacks_Delete)>;

Callbacks make_callbacks() {
  using E = Otf2Events;
  using Kind = Operation::Kind;
  OTF2_EvtReaderCallbacks* c = OTF2_EvtReaderCallbacks_New();
  OTF2_EvtReaderCallbacks_SetUnknownCallback(c, E::unknown);
  OTF2_EvtReaderCallbacks_SetBufferFlushCallback(c, E::buffer_flush);
  OTF2_EvtReaderCallbacks_SetEnterCallback(c, E::enter);
  OTF2_EvtReaderCallbacks_SetLeaveCallback(c, E::leave);
  OTF2_EvtReaderCallbacks_SetCallingContextEnterCallback(c, E::context_enter);
  OTF2_EvtReaderCallbacks_SetCallingContextLeaveCallback(c, E::context_leave);
  OTF2_EvtReaderCallbacks_SetMpiSendCallback(c, E::send);
  OTF2_EvtReaderCallbacks_SetMpiIsendCallback(c, E::isend);
  OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(c, E::request<Kind::send_complete, true>);
  OTF2_EvtReaderCallbacks_SetMpiRecvCallback(c, E::recv);
  OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(c, E::request<Kind::recv_post, false>);
  OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(c, E::irecv);
  OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(c, E::request<Kind::cancelled, true>);
  OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(c, E::collective_begin);
  OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(c, E::collective_end);
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(c, E::collective_request);
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(c, E::collective_complete);
  OTF2_EvtReaderCallbacks_SetParameterUnsignedIntCallback(c, E::parameter);
  OTF2_EvtReaderCallbacks_SetRmaPutCallback(c, E::put);
  OTF2_EvtReaderCallbacks_SetRmaGetCallback(c, E::get);
  OTF2_EvtReaderCallbacks_SetRmaAtomicCallback(c, E::atomic);
  OTF2_EvtReaderCallbacks_SetRmaCollectiveBeginCallback(c, E::rma_collective_begin);
  OTF2_EvtReaderCallbacks_SetRmaCollectiveEndCallback(c, E::rma_collective_end);
  OTF2_EvtReaderCallbacks_SetRmaGroupSyncCallback(c, E::rma_group_sync);
  OTF2_EvtReaderCallbacks_SetRmaAcquireLockCallback(c, E::acquire_lock);
  OTF2_EvtReaderCallbacks_SetRmaReleaseLockCallback(c, E::release_lock);
  OTF2_EvtReaderCallbacks_SetRmaSyncCallback(c, E::rma_sync);
  OTF2_EvtReaderCallbacks_SetRmaOpCompleteBlockingCallback(c, E::rma_completed);
  OTF2_EvtReaderCallbacks_SetRmaOpCompleteRemoteCallback(c, E::rma_completed);
  return {c, &OTF2_EvtReaderCallbacks_Delete};
}

}  // namespace

OTF2_EvtReaderCallbacks* Otf2Stream::callbacks() {
  static const Callbacks kCallbacks = make_callbacks();
  return kCallbacks.get();
}

}  // namespace hybrid
