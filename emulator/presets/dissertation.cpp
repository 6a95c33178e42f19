// The dissertation's parameter sets.
#include <memory>

#include "emulator/presets/preset.h"

namespace hybrid {

namespace {

/// D 4.6. The text does not give the wire and the NIC; they are those of ch8 with the short cable. The K
/// slots hold the predictable part of the traffic, a mesh: four slots, preloaded (D 4.2.2).
std::unique_ptr<Preset> chapter_4() {
  auto preset = std::make_unique<Preset>();
  SwitchParameters& p = preset->parameters;
  p.nodes = 64;
  p.word_generation = nanoseconds(2);
  p.nic = {nanoseconds(10), 1};
  p.serialise = p.deserialise = Time{};
  p.cable = nanoseconds(10);
  p.scheduler = {nanoseconds(20), 1};
  p.digital_fabric = p.analog_fabric = {nanoseconds(10), 1};
  p.slots = p.preload = 4;
  p.slot_length = nanoseconds(200);
  p.buffer = 8192;
  return preset;
}

/// D 5.5.1: the default values of SwitchParameters, except the number of nodes.
std::unique_ptr<Preset> chapter_5() {
  auto preset = std::make_unique<Preset>();
  preset->parameters.nodes = 128;
  return preset;
}

/// D 8.5: cable, scheduler and fabric at 100 MHz; a worm is header, ten flits, tail (D 8.4.1). A conversion
/// takes a cycle (D 8.3.3), which 8.5 does not mention: with the dissertation's model only.
std::unique_ptr<Preset> chapter_8() {
  auto preset = std::make_unique<Preset>();
  preset->slot_per_destination = true;
  SwitchParameters& p = preset->parameters;
  p.nodes = 32;
  p.word_generation = nanoseconds(2);
  p.nic = {nanoseconds(10), 1};
  p.serialise = p.deserialise = Time{};
  p.converter = nanoseconds(10);
  p.cable = nanoseconds(10);  // "10 foot"; "100 foot" is 100 ns
  p.scheduler = {nanoseconds(10), 2};
  p.digital_fabric = p.analog_fabric = {nanoseconds(10), 1};
  p.worm_limit = 80;
  p.worm_overhead_words = 2;
  p.buffer = 128;  // "small"; "large" is 240 KB
  return preset;
}

const PresetRegistration kCh4{"ch4", "dissertation, chapter 4: 64 nodes, 6.4 Gb/s, slots of 200 ns",
                              &chapter_4};
const PresetRegistration kCh5{"ch5", "dissertation, chapter 5: 128 nodes, 6.4 Gb/s, slots of 100 ns",
                              &chapter_5};
const PresetRegistration kCh8{
    "ch8", "dissertation, chapter 8: 32 nodes, 6.4 Gb/s, a preloaded slot for every destination", &chapter_8};

}  // namespace

}  // namespace hybrid
