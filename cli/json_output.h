// `--json FILE|-`: the machine-readable result of a sub-command.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace CLI {
class App;
}

namespace hybrid {

/// Whether two paths, of files that need not be there, name the same; "" is none.
bool is_same_path(const std::string& a, const std::string& b);

class JsonOutput {
 public:
  void declare(CLI::App& app);

  bool wanted() const { return !target_.empty(); }
  /// Whether standard output belongs to the JSON: nothing else may be printed there.
  bool owns_stdout() const { return target_ == "-"; }

  /// Before the work: refuses (UserError) a file that exists, or that cannot be made. Devices and pipes are
  /// written into.
  void check() const;
  /// Refuses that `option` names the same file; "" names none.
  void check_another(const std::string& option, const std::string& path) const;
  /// After the work; nothing where it is not wanted. The file appears whole or not at all. Throws RunError.
  void write(const nlohmann::ordered_json& json) const;
  /// The same with the JSON text that a file holds; nothing where that is the file wanted.
  void write_file_of(const std::string& path) const;

 private:
  void write_text(const std::string& text) const;
  /// What the file is called until it is whole.
  std::string part() const;

  std::string target_;
};

}  // namespace hybrid
