// `--json FILE|-`, `--csv FILE|-`: the machine-readable result of a sub-command.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>

#include "cli/command_line.h"

namespace hybrid {

/// Whether two paths, of files that need not be there, name the same; "" is none.
bool is_same_path(const std::string& a, const std::string& b);

class ResultOutput {
 public:
  bool wanted() const { return !target_.empty(); }
  /// Whether standard output belongs to the JSON: nothing else may be printed there.
  bool owns_stdout() const { return target_ == "-"; }
  const std::string& path() const { return target_; }

  /// Before the work: refuses (UserError) a file that exists, or that cannot be made. Devices and pipes are
  /// written into.
  void check() const;
  /// Refuses that `option` names the same file; "" names none.
  void check_another(const std::string& option, const std::string& path) const;

 protected:
  explicit ResultOutput(std::string option) : option_(std::move(option)) {}
  ~ResultOutput() = default;
  /// `names`: with short forms; "": the option's only.
  void declare(CommandLine& line, const std::string& format, const std::string& names = "");
  void write_text(const std::string& text) const;

 private:
  std::string option_;  // "--json"
  std::string target_;
};

class JsonOutput : public ResultOutput {
 public:
  JsonOutput() : ResultOutput("--json") {}
  void declare(CommandLine& line) { ResultOutput::declare(line, "JSON"); }
  /// After the work; nothing where it is not wanted. The file appears whole or not at all. Throws RunError.
  void write(const nlohmann::ordered_json& json) const;
  /// The same with the JSON text that a file holds; nothing where that is the file wanted.
  void write_file_of(const std::string& path) const;
};

class CsvOutput : public ResultOutput {
 public:
  CsvOutput() : ResultOutput("--csv") {}
  void declare(CommandLine& line) { ResultOutput::declare(line, "CSV"); }
  /// As JsonOutput's.
  void write(const std::string& text) const {
    if (wanted()) write_text(text);
  }
};

}  // namespace hybrid
