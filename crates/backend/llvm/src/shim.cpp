// What LLVM's C interface lacks: passes that are set up once and run over many modules.
//
// Setting up the passes of the code generator takes half a millisecond, more than running them over
// a small function. They reset themselves at the end of a module, so a thread keeps them. Passes of
// the optimiser do not all do so (the inliner keeps the module): of those a thread keeps only the
// table of analyses. Nothing here throws; errors go to the handler of the module's context.

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopAccessAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/MachineInstrBuilder.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetInstrInfo.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>
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
#include <llvm/Transforms/Vectorize/LoopVectorize.h>
#include <mutex>
#include <shared_mutex>
#include <string>

using namespace llvm;

namespace {

TargetMachine &machine_of(LLVMTargetMachineRef machine) { return *reinterpret_cast<TargetMachine *>(machine); }

struct Generator {
    SmallVector<char, 0> bytes;
    raw_svector_ostream stream{bytes};
    legacy::PassManager passes;
};

// Whether a loop of few blocks stores to what it loads from elsewhere: its rounds depend on each other as a rule, and then it runs
// one by one where its addresses have been compared.
bool works_in_place(Loop &loop) {
    if (loop.getNumBlocks() > 3)
        return false;
    SmallVector<const Value *, 4> loaded, stored;
    for (BasicBlock *block : loop.blocks())
        for (Instruction &instruction : *block) {
            bool loads = isa<LoadInst>(instruction);
            if (!loads && !isa<StoreInst>(instruction))
                continue;
            if (getLoadStoreType(&instruction)->isVectorTy())
                return false;
            (loads ? loaded : stored).push_back(getLoadStorePointerOperand(&instruction));
        }
    return any_of(stored, [&](const Value *target) {
        const Value *memory = getUnderlyingObject(target);
        return any_of(loaded, [&](const Value *source) {
            return source != target && getUnderlyingObject(source) == memory;
        });
    });
}

// Whether checks may leave a loop that divides: it waits for the quotients of integers, however many rounds run at once.
bool checks_and_divides(Loop &loop) {
    if (loop.getExitingBlock())
        return false;
    return any_of(loop.blocks(), [](BasicBlock *block) {
        return any_of(*block, [](Instruction &instruction) {
            return instruction.isIntDivRem() && !isa<Constant>(instruction.getOperand(1));
        });
    });
}

// "rumba-remainders": the items that a loop over vectors leaves are few, and so are loops whose arrays overlap, if these are
// several: unrolling them would be most of the code. Loops around others gain nothing from running two rounds at once, nor do such that divide
// between checks.
// A loop within two others that does not run on vectors is begun so often that what is computed before it counts:
// `begun_often` says that there is one.
struct Remainders : PassInfoMixin<Remainders> {
    bool *begun_often;

    PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
        for (Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder()) {
            if (getBooleanLoopAttribute(loop, "llvm.loop.isvectorized")) {
                if (!works_in_place(*loop))
                    addStringMetadataToLoop(loop, "llvm.loop.unroll.disable", 1);
                continue;
            }
            if (!loop->isInnermost() || checks_and_divides(*loop))
                addStringMetadataToLoop(loop, "llvm.loop.unroll.runtime.disable", 1);
            if (loop->isInnermost() && loop->getLoopDepth() >= 3)
                *begun_often = true;
        }
        return PreservedAnalyses::all();
    }
};

bool holds_vectors(Loop &loop) {
    return any_of(loop.blocks(), [](BasicBlock *block) {
        return any_of(*block, [](Instruction &instruction) {
            return instruction.getType()->isVectorTy() ||
                   (isa<StoreInst>(instruction) && getLoadStoreType(&instruction)->isVectorTy());
        });
    });
}

// How many items of a loop's widest type fit a vector of 32 bytes.
unsigned items_of_vector(Loop &loop) {
    unsigned widest = 16;
    for (BasicBlock *block : loop.blocks())
        for (Instruction &instruction : *block) {
            bool accesses = isa<LoadInst>(instruction) || isa<StoreInst>(instruction);
            Type *type = accesses ? getLoadStoreType(&instruction) : instruction.getType();
            if (accesses || type->isFloatingPointTy())
                widest = std::max(widest, unsigned(type->getScalarSizeInBits()));
        }
    return 256 / widest;
}

// "rumba-rows": what a loop over several vectors leaves of a row runs on single vectors. Rows are short, and one by one the last items of each
// may take as long as all others. Only in a loop around: elsewhere there is one rest, and deeper ones may have but three rounds, as over colours.
struct Rows : PassInfoMixin<Rows> {
    // Whether a loop goes on where one over vectors ended.
    static bool is_rest(Loop &loop, LoopInfo &loops) {
        BasicBlock *before = loop.getLoopPreheader();
        if (!before || holds_vectors(loop))
            return false;
        return any_of(predecessors(before), [&](BasicBlock *middle) {
            return any_of(predecessors(middle), [&](BasicBlock *latch) {
                Loop *other = loops.getLoopFor(latch);
                return other && other != &loop && other->getParentLoop() == loop.getParentLoop() &&
                       other->isInnermost() && holds_vectors(*other);
            });
        });
    }

    PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
        auto &loops = analyses.getResult<LoopAnalysis>(function);
        bool any = false;
        for (Loop *loop : loops.getLoopsInPreorder()) {
            if (!loop->isInnermost() || loop->getLoopDepth() != 2 ||
                !getBooleanLoopAttribute(loop, "llvm.loop.isvectorized") || !is_rest(*loop, loops))
                continue;
            loop->setLoopID(nullptr);
            addStringMetadataToLoop(loop, "llvm.loop.vectorize.width", items_of_vector(*loop));
            addStringMetadataToLoop(loop, "llvm.loop.interleave.count", 1);
            any = true;
        }
        return any ? LoopVectorizePass().run(function, analyses) : PreservedAnalyses::all();
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

// Looks for signals where `poll_out_of_line` left a mark, once registers are allocated: until then the mark is one instruction, and no
// block or value knows that the function may be left there.
//
//     mark                cmp byte ptr [rumba_poll_due], 0              aside: call rumba_poll_out_of_line
//     rest     becomes    jne aside                                           je rest
//                         rest                                                rax = the site
//                                                                             return
//
// The function that is called keeps all registers and clears the flag "zero" if a handler raised.
struct PollsAside : MachineFunctionPass {
    static char ID;
    struct Target {
        unsigned compare = 0, branch = 0, jump = 0, call = 0, address = 0, leave = 0;
        Register flags, rip, rax;
    };

    PollsAside() : MachineFunctionPass(ID) {}

    static Target target_of(const TargetInstrInfo &instructions, const TargetRegisterInfo &registers) {
        Target found;
        for (unsigned number = 0; number < instructions.getNumOpcodes(); ++number) {
            StringRef name = instructions.getName(number);
            if (name == "CMP8mi") found.compare = number;
            else if (name == "JCC_1") found.branch = number;
            else if (name == "JMP_1") found.jump = number;
            else if (name == "CALL64pcrel32") found.call = number;
            else if (name == "LEA64r") found.address = number;
            else if (name == "RET64") found.leave = number;
        }
        for (unsigned number = 1; number < registers.getNumRegs(); ++number) {
            StringRef name = registers.getName(number);
            if (name == "EFLAGS") found.flags = number;
            else if (name == "RIP") found.rip = number;
            else if (name == "RAX") found.rax = number;
        }
        return found;
    }

    bool runOnMachineFunction(MachineFunction &function) override {
        SmallVector<MachineInstr *, 8> marks;
        for (MachineBasicBlock &block : function)
            for (MachineInstr &instruction : block)
                if (instruction.isInlineAsm() && instruction.getOperand(0).isSymbol() &&
                    StringRef(instruction.getOperand(0).getSymbolName()) == "# rumba.poll")
                    marks.push_back(&instruction);
        for (MachineInstr *mark : marks)
            put_aside(function, mark);
        return !marks.empty();
    }

    void put_aside(MachineFunction &function, MachineInstr *mark) {
        enum { NOT_EQUAL = 5 };
        const TargetInstrInfo &instructions = *function.getSubtarget().getInstrInfo();
        const TargetRegisterInfo &registers = *function.getSubtarget().getRegisterInfo();
        static const Target target = target_of(instructions, registers);
        DebugLoc none;
        const GlobalValue *site = nullptr;
        for (const MachineOperand &operand : mark->operands())
            if (operand.isGlobal())
                site = operand.getGlobal();
        MachineBasicBlock *block = mark->getParent();
        MachineBasicBlock *rest = block->splitAt(*mark, true);
        if (rest == block)
            rest = *block->succ_begin();
        mark->eraseFromParent();
        MachineBasicBlock *aside = function.CreateMachineBasicBlock(block->getBasicBlock());
        MachineBasicBlock *raised = function.CreateMachineBasicBlock(block->getBasicBlock());
        function.push_back(aside);
        function.push_back(raised);

        BuildMI(*block, block->end(), none, instructions.get(target.compare))
            .addReg(0).addImm(1).addReg(0).addExternalSymbol("rumba_poll_due").addReg(0).addImm(0);
        BuildMI(*block, block->end(), none, instructions.get(target.branch)).addMBB(aside).addImm(NOT_EQUAL);
        BranchProbability seldom(1, 1 << 20);
        if (block->succ_size() == 1)
            block->setSuccProbability(block->succ_begin(), seldom.getCompl());
        block->addSuccessor(aside, seldom);

        BuildMI(*aside, aside->end(), none, instructions.get(target.call))
            .addExternalSymbol("rumba_poll_out_of_line")
            .addRegMask(registers.getCallPreservedMask(function, CallingConv::PreserveAll))
            .addReg(target.flags, RegState::ImplicitDefine);
        BuildMI(*aside, aside->end(), none, instructions.get(target.branch)).addMBB(raised).addImm(NOT_EQUAL);
        BuildMI(*aside, aside->end(), none, instructions.get(target.jump)).addMBB(rest);
        aside->addSuccessor(raised, seldom);
        aside->addSuccessor(rest, seldom.getCompl());
        for (const auto &live : rest->liveins())
            aside->addLiveIn(live);

        BuildMI(*raised, raised->end(), none, instructions.get(target.address), target.rax)
            .addReg(target.rip).addImm(1).addReg(0).addGlobalAddress(site).addReg(0);
        BuildMI(*raised, raised->end(), none, instructions.get(target.leave))
            .addReg(target.rax, RegState::Implicit);
    }
};

char PollsAside::ID = 0;

// What `addPassesToEmitFile` does, with polls.
bool add_passes(LLVMTargetMachine &machine, Generator &generator, CodeGenFileType kind) {
    auto *info = new MachineModuleInfoWrapperPass(&machine);
    TargetPassConfig *config = machine.createPassConfig(generator.passes);
    config->setDisableVerify(true);
    config->insertPass(&PostRAMachineSinkingID, new PollsAside);
    generator.passes.add(config);
    generator.passes.add(info);
    if (config->addISelPasses())
        return false;
    config->addMachinePasses();
    config->setInitialized();
    if (machine.addAsmPrinter(generator.passes, generator.stream, nullptr, kind,
                              info->getMMI().getContext()))
        return false;
    generator.passes.add(createFreeMachineFunctionPass());
    return true;
}

// Options of the whole process, too, which count where they were given. Loops are unrolled though checks may leave them. And the preparation of
// a function for the code generator looks only at blocks that it has changed once more, from 400 blocks on, in place of 10,000: it took
// most of the time for a function of many loops.
void choose_options() {
    auto &options = cl::getRegisteredOptions();
    if (auto found = options.find("unroll-runtime-multi-exit"); found != options.end())
        found->second->addOccurrence(0, "unroll-runtime-multi-exit", "true");
    if (auto found = options.find("cgpp-huge-func"); found != options.end())
        found->second->addOccurrence(0, "cgpp-huge-func", "400");
}

// Whether loops within others ask once, in front of these, if memory overlaps that rounds read and write: an option of the whole process. Passes
// read it as they run; who changes it runs alone.
class AsksByRow {
    static inline std::shared_mutex running;
    bool by_row;

  public:
    explicit AsksByRow(bool by_row) : by_row(by_row) {
        if (!by_row) {
            running.lock_shared();
            return;
        }
        running.lock();
        VectorizerParams::HoistRuntimeChecks = false;
    }
    AsksByRow(const AsksByRow &) = delete;
    ~AsksByRow() {
        if (!by_row) {
            running.unlock_shared();
            return;
        }
        VectorizerParams::HoistRuntimeChecks = true;
        running.unlock();
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
                if (name == "rumba-rows") {
                    passes.addPass(Rows{});
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
// Marks of polls are code only with `polls`: then it may generate assembly, too.
void *rumba_generator_new(LLVMTargetMachineRef machine, bool reduces, bool polls, bool assembly) {
    static std::mutex reading;
    std::lock_guard<std::mutex> lock(reading);
    auto &options = cl::getRegisteredOptions();
    if (auto found = options.find("disable-lsr"); found != options.end())
        static_cast<cl::opt<bool> *>(found->second)->setValue(!reduces);
    auto *generator = new Generator;
    if (polls) {
        if (add_passes(static_cast<LLVMTargetMachine &>(machine_of(machine)), *generator,
                       assembly ? CodeGenFileType::AssemblyFile : CodeGenFileType::ObjectFile))
            return generator;
        delete generator;
        return nullptr;
    }
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
    static std::once_flag chosen;
    std::call_once(chosen, choose_options);
    auto *optimizer = new Optimizer(machine_of(machine), tuning, text);
    ModulePassManager passes;
    if (auto error = optimizer->builder.parsePassPipeline(passes, text)) {
        *message = LLVMCreateMessage(toString(std::move(error)).c_str());
        delete optimizer;
        return nullptr;
    }
    return optimizer;
}

// What is frozen and turned out to have no value is 0: the conversions of floats that do not fit are frozen.
static void freeze_as_zero(Module &module) {
    for (Function &function : module)
        for (BasicBlock &block : function)
            for (Instruction &instruction : make_early_inc_range(block))
                if (auto *frozen = dyn_cast<FreezeInst>(&instruction);
                    frozen && isa<UndefValue>(frozen->getOperand(0))) {
                    frozen->replaceAllUsesWith(Constant::getNullValue(frozen->getType()));
                    frozen->eraseFromParent();
                }
}

// Runs the passes; says whether "rumba-remainders" found a loop that is begun often. With `by_row`, inner loops ask by themselves whether memory
// overlaps.
bool rumba_optimizer_run(void *self, LLVMModuleRef module, bool by_row) {
    AsksByRow asks(by_row);
    auto *optimizer = static_cast<Optimizer *>(self);
    ModulePassManager passes;
    optimizer->begun_often = false;
    cantFail(optimizer->builder.parsePassPipeline(passes, optimizer->text));
    passes.run(*unwrap(module), optimizer->modules);
    freeze_as_zero(*unwrap(module));
    // What is known of the module must not outlive it.
    optimizer->modules.clear();
    optimizer->components.clear();
    optimizer->functions.clear();
    optimizer->loops.clear();
    return optimizer->begun_often;
}

void rumba_optimizer_free(void *self) { delete static_cast<Optimizer *>(self); }
}
