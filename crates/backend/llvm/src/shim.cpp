// What LLVM's C interface lacks: passes that are set up once and run over many modules.
//
// Setting up the passes of the code generator takes half a millisecond, more than running them over
// a small function. They reset themselves at the end of a module, so a thread keeps them. Passes of
// the optimiser do not all do so (the inliner keeps the module): of those a thread keeps only the
// table of analyses. Nothing here throws; errors go to the handler of the module's context.

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/LowerSwitch.h>
#include <mutex>
#include <string>

using namespace llvm;

namespace {

TargetMachine &machine_of(LLVMTargetMachineRef machine) { return *reinterpret_cast<TargetMachine *>(machine); }

struct Generator {
    SmallVector<char, 0> bytes;
    raw_svector_ostream stream{bytes};
    legacy::PassManager passes;
};

// "rumba-remainders": the items that a loop over vectors leaves are few, and so are loops whose arrays overlap:
// unrolling them would be most of the code. Loops around others gain nothing from running two rounds at once.
// A loop within two others that does not run on vectors is begun so often that what is computed before it counts:
// `begun_often` says that there is one.
struct Remainders : PassInfoMixin<Remainders> {
    bool *begun_often;

    PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
        for (Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder()) {
            if (getBooleanLoopAttribute(loop, "llvm.loop.isvectorized"))
                addStringMetadataToLoop(loop, "llvm.loop.unroll.disable", 1);
            else if (!loop->isInnermost())
                addStringMetadataToLoop(loop, "llvm.loop.unroll.runtime.disable", 1);
            else if (loop->getLoopDepth() >= 3)
                *begun_often = true;
        }
        return PreservedAnalyses::all();
    }
};

// "rumba-switches": a switch of few cases, as comparisons with several numbers become, is comparisons again: loops with
// switches do not run on vectors.
struct Switches : PassInfoMixin<Switches> {
    PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
        bool few = false;
        for (BasicBlock &block : function)
            if (auto *choice = dyn_cast<SwitchInst>(block.getTerminator())) {
                if (choice->getNumCases() > 4)
                    return PreservedAnalyses::all();
                few = true;
            }
        return few ? LowerSwitchPass().run(function, analyses) : PreservedAnalyses::all();
    }
};

// "rumba-rounds": short loops that go on until a number is used up, which nobody can count, run four rounds at once with a
// test behind each: otherwise jumping back is most of their time.
struct Rounds : PassInfoMixin<Rounds> {
    PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
        auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
        for (Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
            if (loop->isInnermost() && loop->getNumBlocks() == 1 && loop->getHeader()->size() <= 12 &&
                isa<SCEVCouldNotCompute>(evolution.getBackedgeTakenCount(loop)))
                addStringMetadataToLoop(loop, "llvm.loop.unroll.count", 4);
        return PreservedAnalyses::all();
    }
};

struct Optimizer {
    LoopAnalysisManager loops;
    FunctionAnalysisManager functions;
    CGSCCAnalysisManager components;
    ModuleAnalysisManager modules;
    PassBuilder builder;
    std::string text;
    bool begun_often = false;

    Optimizer(TargetMachine &machine, PipelineTuningOptions tuning, const char *text)
        : builder(&machine, tuning), text(text) {
        builder.registerPipelineParsingCallback(
            [this](StringRef name, FunctionPassManager &passes, ArrayRef<PassBuilder::PipelineElement>) {
                if (name == "rumba-switches") {
                    passes.addPass(Switches{});
                    return true;
                }
                if (name == "rumba-rounds") {
                    passes.addPass(Rounds{});
                    return true;
                }
                if (name != "rumba-remainders")
                    return false;
                passes.addPass(Remainders{{}, &begun_often});
                return true;
            });
        builder.registerModuleAnalyses(modules);
        builder.registerCGSCCAnalyses(components);
        builder.registerFunctionAnalyses(functions);
        builder.registerLoopAnalyses(loops);
        builder.crossRegisterProxies(loops, functions, components, modules);
    }
};

} // namespace

extern "C" {

// A code generator for objects, or null if the machine cannot make them. The machine outlives it. The reduction of
// strength is an option of the whole process, which is read while the passes are put together.
void *rumba_generator_new(LLVMTargetMachineRef machine, bool reduces) {
    static std::mutex reading;
    std::lock_guard<std::mutex> lock(reading);
    auto &options = cl::getRegisteredOptions();
    if (auto found = options.find("disable-lsr"); found != options.end())
        static_cast<cl::opt<bool> *>(found->second)->setValue(!reduces);
    auto *generator = new Generator;
    if (machine_of(machine).addPassesToEmitFile(generator->passes, generator->stream, nullptr,
                                                CodeGenFileType::ObjectFile)) {
        delete generator;
        return nullptr;
    }
    return generator;
}

// Generates the object of a module; the bytes are good until the next one. The module is changed.
void rumba_generator_run(void *self, LLVMModuleRef module, const char **bytes, size_t *size) {
    auto *generator = static_cast<Generator *>(self);
    generator->bytes.clear();
    generator->passes.run(*unwrap(module));
    *bytes = generator->bytes.data();
    *size = generator->bytes.size();
}

void rumba_generator_free(void *self) { delete static_cast<Generator *>(self); }

// Passes by their text, or null and a message for LLVMDisposeMessage if the text is none.
void *rumba_optimizer_new(LLVMTargetMachineRef machine, const char *text, char **message) {
    PipelineTuningOptions tuning;
    tuning.LoopVectorization = tuning.SLPVectorization = true;
    tuning.LoopInterleaving = tuning.LoopUnrolling = true;
    auto *optimizer = new Optimizer(machine_of(machine), tuning, text);
    ModulePassManager passes;
    if (auto error = optimizer->builder.parsePassPipeline(passes, text)) {
        *message = LLVMCreateMessage(toString(std::move(error)).c_str());
        delete optimizer;
        return nullptr;
    }
    return optimizer;
}

// Runs the passes; says whether "rumba-remainders" found a loop that is begun often.
bool rumba_optimizer_run(void *self, LLVMModuleRef module) {
    auto *optimizer = static_cast<Optimizer *>(self);
    ModulePassManager passes;
    optimizer->begun_often = false;
    cantFail(optimizer->builder.parsePassPipeline(passes, optimizer->text));
    passes.run(*unwrap(module), optimizer->modules);
    // What is known of the module must not outlive it.
    optimizer->modules.clear();
    optimizer->components.clear();
    optimizer->functions.clear();
    optimizer->loops.clear();
    return optimizer->begun_often;
}

void rumba_optimizer_free(void *self) { delete static_cast<Optimizer *>(self); }
}
