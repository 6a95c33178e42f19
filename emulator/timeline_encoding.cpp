#include "emulator/timeline_encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <protozero/pbf_writer.hpp>

namespace hybrid {
namespace {

class TraceEventJson final : public TimelineEncoding {
 public:
  explicit TraceEventJson(std::FILE* file) : file_(file) {
    std::fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", file_);
  }
  void process(std::uint32_t process, std::string_view name) override {
    named("process_name", process, 0, name);
  }
  void thread(std::uint32_t process, std::uint32_t thread, std::string_view name) override {
    named("thread_name", process, thread, name);
  }
  void slice(std::uint32_t process, std::uint32_t thread, Time from, Time until, std::string_view name,
             const TimelineArguments& arguments) override {
    std::string values;
    for (const auto& [key, value] : arguments)
      values += fmt::format(R"({}"{}":{})", values.empty() ? "" : ",", key, value);
    write(fmt::format(R"({{"ph":"X","name":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})", name,
                      process, thread, stamp(from), stamp(until - from), values));
  }
  void stretch(std::uint32_t process, std::uint32_t thread, std::uint64_t id, Time from, Time until,
               std::string_view name) override {
    const std::string common =
        fmt::format(R"("cat":"waiting","name":"{}","id":{},"pid":{},"tid":{})", name, id, process, thread);
    write(fmt::format(R"({{"ph":"b",{},"ts":{}}})", common, stamp(from)));
    write(fmt::format(R"({{"ph":"e",{},"ts":{}}})", common, stamp(until)));
  }
  void end() override { std::fputs("\n]}\n", file_); }

 private:
  /// In microseconds.
  static std::string stamp(Time t) { return fmt::format("{}.{:06}", t.ps / 1'000'000, t.ps % 1'000'000); }
  void named(std::string_view what, std::uint32_t process, std::uint32_t thread, std::string_view name) {
    write(fmt::format(R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{"name":"{}"}}}})", what, process,
                      thread, name));
  }
  void write(const std::string& event) {
    if (!first_) std::fputs(",\n", file_);
    first_ = false;
    std::fputs(event.c_str(), file_);
  }

  std::FILE* file_;
  bool first_ = true;
};

// Numbers of fields in Perfetto's messages (protos/perfetto/trace).
namespace field {
enum Trace : protozero::pbf_tag_type { packet = 1 };
enum TracePacket : protozero::pbf_tag_type {
  timestamp = 8,
  sequence = 10,
  track_event = 11,
  interned_data = 12,
  sequence_flags = 13,
  track_descriptor = 60
};
enum TrackDescriptor : protozero::pbf_tag_type { uuid = 1, name = 2, process = 3, parent = 5 };
enum ProcessDescriptor : protozero::pbf_tag_type { pid = 1, process_name = 6 };
enum TrackEvent : protozero::pbf_tag_type { annotation = 4, type = 9, name_iid = 10, track = 11 };
enum DebugAnnotation : protozero::pbf_tag_type { annotation_name_iid = 1, unsigned_value = 3 };
enum InternedData : protozero::pbf_tag_type { event_names = 2, annotation_names = 3 };
enum InternedName : protozero::pbf_tag_type { iid = 1, interned_name = 2 };
}  // namespace field

class TrackEventProtobuf final : public TimelineEncoding {
 public:
  explicit TrackEventProtobuf(std::FILE* file) : file_(file) {
    write_packet([](protozero::pbf_writer& packet) {
      packet.add_uint32(field::sequence_flags, kStateIsCleared | kNeedsState);
    });
  }

  void process(std::uint32_t process, std::string_view name) override {
    describe(track_of(process, 0), [&](protozero::pbf_writer& track) {
      protozero::pbf_writer descriptor(track, field::process);
      descriptor.add_int32(field::pid, static_cast<std::int32_t>(process + 1));
      add_string(descriptor, field::process_name, name);
    });
  }
  void thread(std::uint32_t process, std::uint32_t thread, std::string_view name) override {
    describe(track_of(process, thread), [&](protozero::pbf_writer& track) {
      track.add_uint64(field::parent, track_of(process, 0));
      add_string(track, field::name, name);
    });
  }
  void slice(std::uint32_t process, std::uint32_t thread, Time from, Time until, std::string_view name,
             const TimelineArguments& arguments) override {
    span(track_of(process, thread), from, until, name, arguments);
  }
  /// The stretches of a process share tracks on which they do not overlap.
  void stretch(std::uint32_t process, std::uint32_t /*thread*/, std::uint64_t /*id*/, Time from, Time until,
               std::string_view name) override {
    if (stretches_.size() <= process) stretches_.resize(process + 1);
    std::vector<Time>& ends = stretches_[process];
    const auto free = std::find_if(ends.begin(), ends.end(), [&](Time end) { return end <= from; });
    const auto own = kStretches + track_of(process, static_cast<std::uint32_t>(free - ends.begin()));
    if (free == ends.end()) {
      describe(own, [&](protozero::pbf_writer& track) {
        track.add_uint64(field::parent, track_of(process, 0));
        add_string(track, field::name, "requests");
      });
      ends.push_back(until);
    } else {
      *free = until;
    }
    span(own, from, until, name, {});
  }
  void end() override {}

 private:
  static constexpr std::uint64_t kStretches = std::uint64_t{1} << 62;
  static constexpr std::int32_t kBegin = 1, kEnd = 2;                   // TrackEvent::Type
  static constexpr std::uint32_t kStateIsCleared = 1, kNeedsState = 2;  // TracePacket::SequenceFlags

  /// 0 is the track of everything.
  static std::uint64_t track_of(std::uint32_t process, std::uint32_t thread) {
    return (std::uint64_t{process} + 1) << 24 | thread;
  }
  static void add_string(protozero::pbf_writer& message, protozero::pbf_tag_type tag, std::string_view text) {
    message.add_string(tag, text.data(), text.size());
  }

  template <class Fill>
  void write_packet(Fill&& fill) {
    data_.clear();
    {
      protozero::pbf_writer trace(data_);
      protozero::pbf_writer packet(trace, field::packet);
      packet.add_uint32(field::sequence, 1);
      fill(packet);
    }
    std::fwrite(data_.data(), 1, data_.size(), file_);
  }
  template <class Fill>
  void describe(std::uint64_t uuid, Fill&& fill) {
    write_packet([&](protozero::pbf_writer& packet) {
      protozero::pbf_writer track(packet, field::track_descriptor);
      track.add_uint64(field::uuid, uuid);
      fill(track);
    });
  }
  /// Names that packets refer to by number, in the order of their first use.
  struct Names {
    protozero::pbf_tag_type tag;  // in InternedData
    std::map<std::string, std::uint64_t, std::less<>> numbers;
  };
  /// Returns the number of `name`; writes a packet that defines it if it is new.
  std::uint64_t number(Names& names, std::string_view name) {
    if (const auto known = names.numbers.find(name); known != names.numbers.end()) return known->second;
    const std::uint64_t number = names.numbers.size() + 1;
    names.numbers.emplace(name, number);
    write_packet([&](protozero::pbf_writer& packet) {
      packet.add_uint32(field::sequence_flags, kNeedsState);
      protozero::pbf_writer data(packet, field::interned_data);
      protozero::pbf_writer entry(data, names.tag);
      entry.add_uint64(field::iid, number);
      add_string(entry, field::interned_name, name);
    });
    return number;
  }
  void span(std::uint64_t track, Time from, Time until, std::string_view name,
            const TimelineArguments& arguments) {
    const std::uint64_t event_name = number(event_names_, name);
    keys_.clear();
    for (const auto& [key, value] : arguments) keys_.push_back(number(annotation_names_, key));
    write_packet([&](protozero::pbf_writer& packet) {
      packet.add_uint64(field::timestamp, static_cast<std::uint64_t>(from.ps / 1000));
      packet.add_uint32(field::sequence_flags, kNeedsState);
      protozero::pbf_writer event(packet, field::track_event);
      event.add_enum(field::type, kBegin);
      event.add_uint64(field::track, track);
      event.add_uint64(field::name_iid, event_name);
      for (std::size_t i = 0; i < arguments.size(); ++i) {
        protozero::pbf_writer annotation(event, field::annotation);
        annotation.add_uint64(field::annotation_name_iid, keys_[i]);
        annotation.add_uint64(field::unsigned_value, arguments[i].second);
      }
    });
    write_packet([&](protozero::pbf_writer& packet) {
      packet.add_uint64(field::timestamp, static_cast<std::uint64_t>(until.ps / 1000));
      protozero::pbf_writer event(packet, field::track_event);
      event.add_enum(field::type, kEnd);
      event.add_uint64(field::track, track);
    });
  }

  std::FILE* file_;
  std::string data_;  // of a packet
  Names event_names_{field::event_names, {}}, annotation_names_{field::annotation_names, {}};
  std::vector<std::uint64_t> keys_;           // of a slice's arguments
  std::vector<std::vector<Time>> stretches_;  // by process, by track of its stretches: the last end
};

}  // namespace

std::unique_ptr<TimelineEncoding> make_timeline_encoding(std::string_view path, std::FILE* file) {
  if (path.ends_with(".pftrace") || path.ends_with(".perfetto-trace"))
    return std::make_unique<TrackEventProtobuf>(file);
  return std::make_unique<TraceEventJson>(file);
}

}  // namespace hybrid
