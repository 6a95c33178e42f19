/* hybrid-link-hints -o NOTES.o [--name PROGRAM] [--profile FILE]... [--no-warnings|--error-warnings]
 *                   OBJECT|ARCHIVE...
 *
 * The link step: puts the code that the pass left in the objects of a program together and writes what that
 * tells of the whole program as a note (HYBRID_UNIT_WHOLE) into an object to be linked with them. Writes no
 * file, and succeeds, where there is nothing to say: no such code, no main program, or code that does not
 * fit together. The note is PROGRAM's, without it NOTES.o's. A profile (`hybrid profile TRACE --json FILE`)
 * tells what a recorded run did where the code does not; one that does not fit is a warning. */
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

namespace {

using namespace llvm;
using namespace hybrid::pass;

[[noreturn]] void refuse(const Twine& message) {
  errs() << "hybrid-link-hints: " << message << "\n";
  exit(2);
}

enum class Warnings { on, off, errors };

void warn(const std::string& message, Warnings warnings) {
  if (warnings == Warnings::errors) refuse("error: " + Twine(message) + " [-Werror,-Whybrid]");
  if (warnings == Warnings::on) errs() << "hybrid-link-hints: warning: " << message << " [-Whybrid]\n";
}

Profile profile_of(const std::string& path) {
  auto buffer = MemoryBuffer::getFile(path);
  if (!buffer) refuse(path + ": " + buffer.getError().message());
  Profile profile;
  std::string problem;
  if (!read_profile((*buffer)->getBuffer().str(), profile, problem)) refuse(path + ": " + problem);
  return profile;
}

/* The units of the program and what else uses their symbols. */
struct Program {
  std::vector<EmbeddedUnit> units;
  WholeProgram whole;

  void add(const std::string& path) {
    auto buffer = MemoryBuffer::getFile(path);
    if (!buffer) refuse(path + ": " + buffer.getError().message());
    buffers.push_back(std::move(*buffer));
    const MemoryBufferRef bytes = buffers.back()->getMemBufferRef();
    if (identify_magic(bytes.getBuffer()) != file_magic::archive) {
      if (!add(bytes)) refuse(path + ": expected an object file or a static archive");
      return;
    }
    auto archive = object::Archive::create(bytes);
    if (!archive) refuse(path + ": " + toString(archive.takeError()));
    Error error = Error::success();
    for (const object::Archive::Child& member : (*archive)->children(error)) {
      auto contents = member.getMemoryBufferRef();
      if (!contents) refuse(path + ": " + toString(contents.takeError()));
      add(*contents);
    }
    if (error) refuse(path + ": " + toString(std::move(error)));
  }

 private:
  /* An object, or what -flto has in its place; false where it is neither. */
  bool add(MemoryBufferRef bytes) {
    const file_magic magic = identify_magic(bytes.getBuffer());
    if (magic == file_magic::elf_relocatable) {
      auto object = object::ObjectFile::createObjectFile(bytes);
      if (!object) refuse(bytes.getBufferIdentifier() + ": " + toString(object.takeError()));
      add(**object);
      return true;
    }
    if (magic != file_magic::bitcode) return false;
    LLVMContext context;
    auto module = parseBitcodeFile(bytes, context);
    if (!module) refuse(bytes.getBufferIdentifier() + ": " + toString(module.takeError()));
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
        if (!contents) refuse(file.getFileName() + ": " + toString(contents.takeError()));
        return add_embedded(*contents, file.getFileName());
      }
    }
    for (const object::SymbolRef& symbol : file.symbols()) {
      Expected<uint32_t> flags = symbol.getFlags();
      if (!flags) {
        refuse(file.getFileName() + ": its symbols cannot be read");
      }
      /* What it uses of others, and what both may define. */
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
    if (!found) refuse(file + ": its section " + kCodeSection + " is damaged; compile it again");
    units.insert(units.end(), found->begin(), found->end());
  }

  std::vector<std::unique_ptr<MemoryBuffer>> buffers;
};

/* A unit's own symbols by names that no other unit has, and where its phases come from. */
void tell_apart(Module& module, const EmbeddedUnit& unit, size_t number, WholeProgram& whole) {
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
  if (!target) refuse(message);
  const std::unique_ptr<TargetMachine> machine(
      target->createTargetMachine(module.getTargetTriple(), "", "", TargetOptions(), Reloc::PIC_));
  std::error_code error;
  raw_fd_ostream file(path, error);
  if (error) refuse(path + ": " + error.message());
  legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, file, nullptr, CodeGenFileType::ObjectFile))
    refuse("no object files for " + module.getTargetTriple());
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
    refuse(
        "usage: hybrid-link-hints -o NOTES.o [--name PROGRAM] [--profile FILE]... "
        "[--no-warnings|--error-warnings] OBJECT|ARCHIVE...");
  if (name.empty()) name = output;
  Program program;
  for (const std::string& path : inputs) program.add(path);

  /* Where code has lines, LLVM would verify all of it as it is read. */
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
      refuse("code of another compiler: " + toString(parsed.takeError()) +
             "; compile everything with the same");
    Directives found = find_directives(**parsed);
    shift_labels(**parsed, static_cast<uint32_t>(directives.size()));
    const auto before = static_cast<uint32_t>(directives.size());
    tell_apart(**parsed, unit, i, program.whole);
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
      errs() << "hybrid-link-hints: the units do not fit together; each keeps its own hints\n";
      return 0;
    }
  }
  const auto defines = [&](const char* name) {
    const Function* function = module->getFunction(name);
    return function && !function->isDeclaration();
  };
  if (!communicates(*module) || (!defines("main") && !defines("_QQmain"))) {
    if (!profiles.empty())
      warn("the profile is not used: there is no main program that communicates, compiled with the plugin",
           warnings);
    return 0;
  }
  program.whole.outside.insert(defines("main") ? "main" : "_QQmain"); /* flang's main calls the latter */

  std::set<std::string> shared; /* variables that the note's object can name */
  for (const GlobalVariable& global : module->globals())
    if (!global.hasLocalLinkage() && !global.isThreadLocal()) shared.insert(global.getName().str());
  const std::map<std::string, std::string> own = noted_names(*module); /* and of the units' own */
  const std::string triple = module->getTargetTriple();
  const DataLayout layout = module->getDataLayout();
  Extraction extraction = extract(
      std::move(module), &program.whole, directives,
      [&](const std::string& name) { return shared.contains(name) || own.contains(name); }, Remarks::on);
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
  std::_Exit(0); /* to take a whole program's code apart takes longer than to write its note */
}
