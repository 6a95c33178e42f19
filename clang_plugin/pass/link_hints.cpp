/* hybrid-link-hints -o NOTES.o [--name PROGRAM] [--profile FILE]... [--no-warnings|--error-warnings]
 *                   OBJECT|ARCHIVE...
 *
 * The link step: links the code that the pass embedded in the objects of a program, analyses the whole
 * program, and writes the note (HYBRID_UNIT_WHOLE) into an object that is linked with the others. It succeeds
 * without writing a file if there is no such code, no main program, or the code cannot be linked. The note
 * has the name PROGRAM, by default NOTES.o. A profile (`hybrid profile TRACE --json FILE`) adds connections
 * of a recorded run where the analysis finds none; a profile of another program causes a warning. */
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/Linker/Linker.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/Archive.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <cstdlib>
#include <optional>

#include "clang_plugin/pass/embedded.h"
#include "clang_plugin/pass/extraction.h"
#include "clang_plugin/pass/note_writer.h"
#include "clang_plugin/pass/own_variables.h"
#include "clang_plugin/pass/profile.h"
#include "clang_plugin/pass/values.h"

namespace {

using namespace llvm;
using namespace hybrid::pass;

[[noreturn]] void fail(const Twine& message) {
  errs() << "hybrid-link-hints: " << message << "\n";
  exit(2);
}

enum class Warnings { on, off, errors };

void warn(const std::string& message, Warnings warnings) {
  if (warnings == Warnings::errors) fail("error: " + Twine(message) + " [-Werror,-Whybrid]");
  if (warnings == Warnings::on) errs() << "hybrid-link-hints: warning: " << message << " [-Whybrid]\n";
}

Profile profile_of(const std::string& path) {
  auto buffer = MemoryBuffer::getFile(path);
  if (!buffer) fail(path + ": " + buffer.getError().message());
  Profile profile;
  std::string problem;
  if (!read_profile((*buffer)->getBuffer().str(), profile, problem)) fail(path + ": " + problem);
  return profile;
}

/* The units of the program, and the symbols that other code uses. */
struct Program {
  std::vector<EmbeddedUnit> units;
  WholeProgram whole;

  void add(const std::string& path) {
    auto buffer = MemoryBuffer::getFile(path);
    if (!buffer) fail(path + ": " + buffer.getError().message());
    buffers.push_back(std::move(*buffer));
    const MemoryBufferRef bytes = buffers.back()->getMemBufferRef();
    if (identify_magic(bytes.getBuffer()) != file_magic::archive) {
      if (!add(bytes)) fail(path + ": expected an object file or a static archive");
      return;
    }
    auto archive = object::Archive::create(bytes);
    if (!archive) fail(path + ": " + toString(archive.takeError()));
    Error error = Error::success();
    for (const object::Archive::Child& member : (*archive)->children(error)) {
      auto contents = member.getMemoryBufferRef();
      if (!contents) fail(path + ": " + toString(contents.takeError()));
      add(*contents);
    }
    if (error) fail(path + ": " + toString(std::move(error)));
  }

 private:
  /* Adds an object, or the bitcode that -flto writes instead. Returns false for other files. */
  bool add(MemoryBufferRef bytes) {
    const file_magic magic = identify_magic(bytes.getBuffer());
    if (magic == file_magic::elf_relocatable) {
      auto object = object::ObjectFile::createObjectFile(bytes);
      if (!object) fail(bytes.getBufferIdentifier() + ": " + toString(object.takeError()));
      add(**object);
      return true;
    }
    if (magic != file_magic::bitcode) return false;
    LLVMContext context;
    auto module = parseBitcodeFile(bytes, context);
    if (!module) fail(bytes.getBufferIdentifier() + ": " + toString(module.takeError()));
    add(**module, bytes.getBufferIdentifier());
    return true;
  }

  void add(const object::ObjectFile& file) {
    for (const object::SectionRef& section : file.sections()) {
      Expected<StringRef> name = section.getName();
      if (!name)
        consumeError(name.takeError());
      else if (*name == kCodeSection) {
        Expected<StringRef> contents = section.getContents();
        if (!contents) fail(file.getFileName() + ": " + toString(contents.takeError()));
        return add_embedded(*contents, file.getFileName());
      }
    }
    for (const object::SymbolRef& symbol : file.symbols()) {
      Expected<uint32_t> flags = symbol.getFlags();
      if (!flags) {
        fail(file.getFileName() + ": its symbols cannot be read");
      }
      /* Symbols that it uses from other objects, and symbols that several objects may define. */
      if (!(*flags &
            (object::SymbolRef::SF_Undefined | object::SymbolRef::SF_Common | object::SymbolRef::SF_Weak)))
        continue;
      if (Expected<StringRef> name = symbol.getName())
        whole.outside.insert(name->str());
      else
        consumeError(name.takeError());
    }
  }

  void add(const Module& module, StringRef file) {
    for (const GlobalVariable& variable : module.globals())
      if (variable.getSection() == kCodeSection && variable.hasInitializer())
        if (const auto* data = dyn_cast<ConstantDataArray>(variable.getInitializer()))
          return add_embedded(data->getRawDataValues(), file);
    for (const GlobalValue& value : module.global_values())
      if (value.isDeclaration() || value.isInterposable()) whole.outside.insert(value.getName().str());
  }

  void add_embedded(StringRef contents, StringRef file) {
    auto found = read_embedded({contents.data(), contents.size()});
    if (!found) fail(file + ": its section " + kCodeSection + " is damaged; compile it again");
    units.insert(units.end(), found->begin(), found->end());
  }

  std::vector<std::unique_ptr<MemoryBuffer>> buffers;
};

/* Renames a unit's internal symbols so that no other unit has them, and records the origin of its phases. */
void make_names_unique(Module& module, const EmbeddedUnit& unit, size_t number, WholeProgram& whole) {
  for (Function& function : module) {
    if (function.isDeclaration()) continue;
    const std::string own = function.getName().str();
    if (function.hasLocalLinkage()) function.setName(own + ".unit" + Twine(number));
    const auto phase = unit.procedures.find(own);
    whole.phases.try_emplace(function.getName().str(),
                             PhaseOrigin{phase == unit.procedures.end() ? HYBRID_NONE : phase->second,
                                         unit.id_low, unit.id_high, own});
  }
}

void write_object(Module& module, const std::string& path) {
  InitializeAllTargetInfos();
  InitializeAllTargets();
  InitializeAllTargetMCs();
  InitializeAllAsmPrinters();
  std::string message;
  const Target* target = TargetRegistry::lookupTarget(module.getTargetTriple(), message);
  if (!target) fail(message);
  const std::unique_ptr<TargetMachine> machine(
      target->createTargetMachine(module.getTargetTriple(), "", "", TargetOptions(), Reloc::PIC_));
  std::error_code error;
  raw_fd_ostream file(path, error);
  if (error) fail(path + ": " + error.message());
  legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, file, nullptr, CodeGenFileType::ObjectFile))
    fail("no object files for " + module.getTargetTriple());
  passes.run(module);
}

}  // namespace

int main(int count, char** arguments) {
  std::string output, name;
  std::vector<std::string> inputs;
  std::vector<Profile> profiles;
  Warnings warnings = Warnings::on;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument == "-o" && i + 1 < count)
      output = arguments[++i];
    else if (argument == "--name" && i + 1 < count)
      name = arguments[++i];
    else if (argument == "--profile" && i + 1 < count)
      profiles.push_back(profile_of(arguments[++i]));
    else if (argument == "--no-warnings")
      warnings = Warnings::off;
    else if (argument == "--error-warnings")
      warnings = Warnings::errors;
    else
      inputs.push_back(argument);
  }
  if (output.empty() || inputs.empty())
    fail(
        "usage: hybrid-link-hints -o NOTES.o [--name PROGRAM] [--profile FILE]... "
        "[--no-warnings|--error-warnings] OBJECT|ARCHIVE...");
  if (name.empty()) name = output;
  Program program;
  for (const std::string& path : inputs) program.add(path);

  /* With debug information, LLVM would verify all code while reading it. */
  if (cl::Option* option = cl::getRegisteredOptions().lookup("disable-auto-upgrade-debug-info"))
    static_cast<cl::opt<bool>*>(option)->setValue(true);
  LLVMContext context;
  auto module = std::make_unique<Module>(name, context);
  Linker linker(*module);
  std::vector<DirectivePhase> directives;
  for (size_t i = 0; i < program.units.size(); ++i) {
    const EmbeddedUnit& unit = program.units[i];
    auto parsed = parseBitcodeFile(MemoryBufferRef(unit.code, "unit"), context);
    if (!parsed)
      fail("code of another compiler: " + toString(parsed.takeError()) +
           "; compile all files with the same compiler");
    Directives found = find_directives(**parsed);
    shift_labels(**parsed, static_cast<uint32_t>(directives.size()));
    const auto before = static_cast<uint32_t>(directives.size());
    make_names_unique(**parsed, unit, i, program.whole);
    for (uint32_t phase = 0; phase < found.phases.size(); ++phase) {
      DirectivePhase& directive = found.phases[phase];
      directive.function = directive.begin->getFunction()->getName().str();
      directive.origin = {phase, unit.id_low, unit.id_high, ""};
      if (directive.parent != HYBRID_NONE) directive.parent += before;
      directives.push_back(std::move(directive));
    }
    if (i == 0)
      module->setTargetTriple((*parsed)->getTargetTriple()),
          module->setDataLayout((*parsed)->getDataLayout());
    if (linker.linkInModule(std::move(*parsed))) {
      errs() << "hybrid-link-hints: the units cannot be linked; their separate hints remain\n";
      return 0;
    }
  }
  const auto defines = [&](const char* name) {
    const Function* function = module->getFunction(name);
    return function && !function->isDeclaration();
  };
  if (!communicates(*module) || (!defines("main") && !defines("_QQmain"))) {
    if (!profiles.empty())
      warn("the profile is not used: no main program that communicates was compiled with the plugin",
           warnings);
    return 0;
  }
  program.whole.outside.insert(defines("main") ? "main" : "_QQmain"); /* flang's main calls the latter */

  std::set<std::string> shared; /* variables that the note's object can refer to */
  for (const GlobalVariable& global : module->globals())
    if (!global.hasLocalLinkage() && !global.isThreadLocal()) shared.insert(global.getName().str());
  const std::map<std::string, std::string> own =
      noted_names(*module); /* the same for the units' internal variables */
  const std::string triple = module->getTargetTriple();
  const DataLayout layout = module->getDataLayout();
  const bool exposed = exposes_memory(*module);
  Extraction extraction = extract(
      std::move(module), &program.whole, directives,
      [&](const std::string& name) { return shared.contains(name) || own.contains(name); }, Remarks::on);
  for (EmbeddedUnit& unit : program.units) {
    for (InspectedSite& site : unit.inspected) site.speculative |= exposed;
    classify_inspected(extraction.note, unit.inspected);
  }
  for (const std::string& message : use_profiles(extraction.note, profiles)) warn(message, warnings);
  Module notes(name, context);
  notes.setTargetTriple(triple);
  notes.setDataLayout(layout);
  for (std::string& address : extraction.addresses)
    if (const auto named = own.find(address); named != own.end()) {
      address = named->second;
      declare_named(notes, address);
    }
  write_note(notes, extraction, name, true);
  write_object(notes, output);
  std::_Exit(0); /* without destructors: freeing the code takes longer than writing the note */
}
