#include "clang_plugin/fortran/unit.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

namespace hybrid::fortran {
namespace {

namespace fs = std::filesystem;

// Returns one name for all paths to a file. Two links to a file count as two files: each may include files of
// its own folder.
std::string identity(const std::string& path) {
  const fs::path whole = fs::absolute(path);
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(whole.parent_path(), error);
  return error ? whole.string() : (folder / whole.filename()).string();
}

class Reader {
 public:
  Reader(Form form, const std::vector<std::string>& folders, const ReadFile& read)
      : form_(form), folders_(folders), read_(read) {}

  Unit read(const std::string& path, const std::string& text) {
    add(path, text);
    unit_.files.front().is_read = true;
    propagate();
    return std::move(unit_);
  }

 private:
  // Adds a file, and at its include lines the included ones: directives are read in the order of the program.
  std::size_t add(const std::string& path, const std::string& text) {
    const std::size_t number = unit_.files.size();
    numbers_[identity(path)] = number;
    UnitFile& added = unit_.files.emplace_back();
    added.path = path;
    added.source = read_source(text, form_);
    added.wrong = added.source.wrong;
    unit_.names.insert(added.source.names.begin(), added.source.names.end());
    // A copy: the file may move while others are added.
    const Source source = added.source;
    auto include = source.includes.begin();
    for (const DirectiveText& written : source.directives) {
      for (; include != source.includes.end() && include->line < written.first; ++include)
        follow(number, *include);
      read_directive_of(unit_.files[number], written);
    }
    for (; include != source.includes.end(); ++include) follow(number, *include);
    UnitFile& file = unit_.files[number];
    file.changes = !source.directives.empty() || !file.wrong.empty();
    const auto by_line = [](const WrongDirective& a, const WrongDirective& b) {
      return a.at.line < b.at.line;
    };
    std::vector<WrongDirective> sorted;
    for (const WrongDirective& wrong : file.wrong)
      sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), wrong, by_line), wrong);
    file.wrong = std::move(sorted);
    return number;
  }

  void read_directive_of(UnitFile& file, const DirectiveText& written) {
    try {
      file.directives.push_back(read_directive(written));
      const Directive::Kind kind = file.directives.back().kind;
      has_phase_ |= kind == Directive::Kind::phase;
      if (kind == Directive::Kind::end && !has_phase_)
        throw WrongDirective({written.first, written.places.front().column},
                             "'!hyb$ end' without a phase before it");
    } catch (const WrongDirective& e) {
      file.wrong.push_back(e);
    }
  }

  void follow(std::size_t from, const IncludeLine& include) {
    Included found;
    if (include.name.empty())
      has_phase_ = true;  // it may contain one
    else
      found = find(unit_.files[from].path, include);
    unit_.files[from].included.push_back(found);
  }

  Included find(const std::string& from, const IncludeLine& include) {
    std::vector<std::string> folders{""};
    const std::string own_folder = fs::path(from).parent_path().string();
    if (include.search_own_folder && !own_folder.empty()) folders.insert(folders.begin(), own_folder);
    folders.insert(folders.end(), folders_.begin(), folders_.end());
    for (const std::string& folder : folders) {
      // An absolute name is kept.
      const std::string path = (fs::path(folder) / include.name).string();
      const bool in_own_folder = include.search_own_folder && folder == own_folder;
      if (const auto known = numbers_.find(identity(path)); known != numbers_.end())
        return {known->second, path, in_own_folder};
      if (const auto text = read_(path)) return {add(path, *text), path, in_own_folder};
    }
    return {};
  }

  // Propagates is_read to included files, and `changes` to including ones.
  void propagate() {
    for (bool again = true; again;) {
      again = false;
      for (UnitFile& file : unit_.files) {
        for (std::size_t i = 0; i < file.included.size(); ++i) {
          if (file.included[i].file == Included::kNone) continue;
          UnitFile& other = unit_.files[file.included[i].file];
          if (file.is_read && !file.source.includes[i].conditional && !other.is_read)
            again = other.is_read = true;
          if (other.changes && !file.changes) again = file.changes = true;
        }
      }
    }
  }

  Form form_;
  const std::vector<std::string>& folders_;
  const ReadFile& read_;
  std::map<std::string, std::size_t> numbers_;  // by identity
  Unit unit_;
  bool has_phase_ = false;
};

}  // namespace

Unit read_unit(const std::string& path, const std::string& text, Form form,
               const std::vector<std::string>& folders, const ReadFile& read) {
  return Reader(form, folders, read).read(path, text);
}

}  // namespace hybrid::fortran
