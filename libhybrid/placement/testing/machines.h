// Machines for tests: synthetic ones from hwloc's descriptions, exported to XML and read back like a user's
// file, and the XML files of this folder.
#pragma once

#include <gtest/gtest.h>
#include <hwloc.h>

#include <filesystem>
#include <string>

#include "libhybrid/placement/machine.h"

namespace hybrid {

/// `description` as hwloc's synthetic backend has it: "package:2 core:4 pu:2".
inline std::string synthetic_xml(const std::string& description) {
  hwloc_topology_t topology = nullptr;
  EXPECT_EQ(hwloc_topology_init(&topology), 0);
  EXPECT_EQ(hwloc_topology_set_synthetic(topology, description.c_str()), 0) << description;
  EXPECT_EQ(hwloc_topology_load(topology), 0);
  char* text = nullptr;
  int length = 0;
  EXPECT_EQ(hwloc_topology_export_xmlbuffer(topology, &text, &length, 0), 0);
  std::string xml = text == nullptr ? "" : text;
  hwloc_free_xmlbuffer(topology, text);
  hwloc_topology_destroy(topology);
  return xml;
}

inline Machine synthetic_machine(const std::string& description) {
  return machine_from_xml_text(synthetic_xml(description), "synthetic");
}

inline std::string test_topology(const std::string& file) {
  return (std::filesystem::path(HYBRID_SOURCES) / "libhybrid/placement/testing" / file).string();
}

inline CpuSet cpus(const std::string& list) { return CpuSet::parse(list, "test"); }

}  // namespace hybrid
