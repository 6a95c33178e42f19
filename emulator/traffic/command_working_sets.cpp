#include "emulator/traffic/command_working_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/option.h"
#include "emulator/tdm/preload_slots.h"

namespace hybrid {

namespace {

using CommandKind = PeCommand::Kind;

const char* const kFirstLevel = "";  // not a valid name in a file

std::string location(const CommandFile& file, const PeCommand& command, std::uint32_t column) {
  return fmt::format("{}:{}:{}", file.name, command.line, column);
}

template <class Visit>
void for_each_command(const std::vector<CommandFile>& files, Visit&& visit) {
  for (Port pe = 0; pe < files.size(); ++pe)
    for (const PeCommand& command : files[pe].commands) visit(pe, command);
}

/// Number of slots in which `port` has a connection, as a source or as a destination.
std::uint32_t count_used_slots(const PreloadSlots& slots, Port port, bool source) {
  std::uint32_t count = 0;
  for (std::uint32_t s = 0; s < slots.slots(); ++s) {
    const Configuration& slot = slots.slot(s);
    count += (source ? slot.destination_of(port) : slot.source_of(port)) != kNoPort ? 1 : 0;
  }
  return count;
}

void check_names(const std::vector<CommandFile>& files) {
  std::set<std::string> stored;
  for_each_command(files, [&](Port, const PeCommand& command) {
    if (command.kind == CommandKind::store) stored.insert(command.set->name);
  });
  const std::vector<std::string_view> names(stored.begin(), stored.end());
  for_each_command(files, [&](Port pe, const PeCommand& command) {
    if (command.kind != CommandKind::preload && command.kind != CommandKind::swap_in) return;
    const std::string& name = command.set->name;
    if (stored.contains(name)) return;
    const std::string_view meant = closest_name(name, names);
    throw UserError(fmt::format("{}: no file stores a working set '{}'",
                                location(files[pe], command, command.set->column), name),
                    meant.empty()
                        ? fmt::format("Write: store {} DEST... in the files of the PEs that send.", name)
                        : fmt::format("Did you mean '{}'?", meant));
  });
}

}  // namespace

CommandWorkingSets::CommandWorkingSets(Technique& technique, const SwitchParameters& parameters,
                                       const std::vector<CommandFile>& files, bool hardware_multicast)
    : technique_(technique),
      ports_(parameters.nodes),
      slots_(parameters.preload),
      hardware_multicast_(hardware_multicast),
      sets_(parameters.nodes, parameters.preload) {
  check_names(files);
  if (slots_ == 0) return;
  store_all(files);
  bool preloads = false;
  for_each_command(files, [&](Port, const PeCommand& command) {
    preloads = preloads || command.kind == CommandKind::preload;
    swaps_ = swaps_ || command.kind == CommandKind::preload || command.kind == CommandKind::swap_in;
  });
  if (!preloads) first_ = first_used(files);
}

void CommandWorkingSets::store_all(const std::vector<CommandFile>& files) {
  std::map<std::string, PreloadSlots> sets;
  for_each_command(files, [&](Port pe, const PeCommand& command) {
    if (command.kind != CommandKind::store) return;
    const WorkingSetWords& words = *command.set;
    PreloadSlots& slots = sets.try_emplace(words.name, ports_, slots_).first->second;
    for (std::size_t i = 0; i < words.destinations.size(); ++i) {
      const Port destination = words.destinations[i];
      if (slots.add({pe, destination})) continue;
      const bool sender = count_used_slots(slots, pe, true) == slots_;
      throw UserError(
          fmt::format("{}: no room for {} to {} in working set '{}': PE {} already {} as many other PEs "
                      "as there are --preload slots, {}",
                      location(files[pe], command, words.columns[i]), pe, destination, words.name,
                      sender ? pe : destination, sender ? "sends to" : "receives from", slots_),
          "Give a larger --preload, or store less.");
    }
  });
  for (const auto& [name, slots] : sets) {
    std::vector<Configuration> content;
    content.reserve(slots_);
    for (std::uint32_t s = 0; s < slots_; ++s) content.push_back(slots.slot(s));
    sets_.store(name, std::move(content));
  }
}

std::vector<Configuration> CommandWorkingSets::first_used(const std::vector<CommandFile>& files) const {
  const auto participants = static_cast<Port>(
      std::count_if(files.begin(), files.end(), [](const CommandFile& file) { return !file.name.empty(); }));
  std::vector<Configuration> configurations;
  std::set<Connection> known;
  const auto use = [&](Connection c) {
    if (!known.insert(c).second) return;
    for (Configuration& configuration : configurations)
      if (configuration.add(c)) return;
    configurations.emplace_back(ports_).add(c);
  };
  for (Port pe = 0; pe < files.size(); ++pe) {
    std::uint32_t swapped_in = 0;
    for (const PeCommand& command : files[pe].commands) {
      if (command.kind == CommandKind::swap_in) ++swapped_in;
      if (command.kind == CommandKind::swap_out) --swapped_in;
      if (swapped_in != 0) continue;
      if (command.kind == CommandKind::send || command.kind == CommandKind::blocking_send)
        use({pe, command.peer});
      if (hardware_multicast_) continue;  // hardware multicasts do not use the links of the switch
      if (command.kind == CommandKind::broadcast)
        for (Port k = 1; k < participants; ++k) use({pe, (pe + k) % participants});
      if (command.kind == CommandKind::barrier)
        for (Port k = 1; k < participants; k *= 2) use({pe, (pe + k) % participants});
    }
  }
  if (configurations.size() > slots_) configurations.resize(slots_);
  return configurations;
}

void CommandWorkingSets::start() {
  if (swaps_ && !first_.empty()) sets_.store(kFirstLevel, first_);
  const WorkingSetStore::Load load = [this](std::uint32_t slot, const Configuration& content) {
    technique_.preload(Time{}, slot, content);
  };
  if (sets_.stored(kFirstLevel))
    sets_.load_first(kFirstLevel, load);
  else
    for (std::uint32_t s = 0; s < first_.size(); ++s) load(s, first_[s]);
}

void CommandWorkingSets::execute(Time now, Port pe, const PeCommand& command) {
  const WorkingSetStore::Load load = [this, now](std::uint32_t slot, const Configuration& content) {
    technique_.preload(now, slot, content);
  };
  if (command.kind == CommandKind::flush) {
    technique_.flush(now, pe);
    sets_.flushed();  // the connections of this port are gone
  }
  if (slots_ == 0) return;
  if (command.kind == CommandKind::preload) sets_.load_first(command.set->name, load);
  if (command.kind == CommandKind::swap_in) sets_.swap_in(command.set->name, load);
  if (command.kind == CommandKind::swap_out) sets_.swap_out(command.set->name, load);
}

}  // namespace hybrid
