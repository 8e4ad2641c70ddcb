import { quotedWords } from '../../core/service/command-words.ts'
import type { CancelTask, Task } from '../model/model.ts'
import { quoting } from '../text/shown-text.ts'
import type { Finding } from '../model/finding.ts'
import { staysInside } from './paths.ts'
import type { OwnContext, StageRule } from './rule-context.ts'

const MAX_LONG = 2 ** 63

/** TSK-1, for tasks and for what they do on cancel. */
export const tasks: StageRule = function* (stage, context): Generator<Finding> {
  for (const task of stage.jobs.flatMap((job) => job.tasks)) {
    yield* checkTask(task, context)
    yield* checkCancels(task, context)
  }
}

/** At most one `oncancel`, and none within it. */
function* checkCancels(task: Task, context: OwnContext): Generator<Finding> {
  for (const at of task.cancels.slice(1)) {
    yield { at, message: 'the task has more than one oncancel' }
  }
  for (const at of task.onCancel?.cancels ?? []) {
    yield { at, message: 'a task that runs on cancel has an oncancel of its own' }
  }
  if (task.onCancel) yield* checkTask(task.onCancel, context)
}

function* checkTask(task: CancelTask, context: OwnContext): Generator<Finding> {
  if (task.kind === 'fetchartifact') yield* checkFetch(task)
  if (task.kind === 'exec') yield* checkExec(task, context)
  yield* checkWords(task)
  if (!('workingDir' in task)) return
  const { at, workingDir } = task
  if (workingDir !== null && !staysInside(workingDir)) {
    const message = quoting`the working folder ${workingDir} is not inside the folder of the job`
    yield { at, message }
  }
}

function* checkExec(
  task: Extract<CancelTask, { kind: 'exec' }>,
  { replaced }: OwnContext,
): Generator<Finding> {
  const { at, command, args, timeout } = task
  if (replaced.has(at) && command.trim() === '') yield { at, message: 'the command is empty' }
  if (args !== null && args !== '' && task.arguments.length > 0) {
    yield { at, message: quoting`the command ${command} has args as an attribute and as elements` }
  }
  if (timeout !== null && timeout > MAX_LONG) {
    yield { at, message: quoting`the timeout of the command ${command} is too large` }
  }
}

/** The texts of several words have their quotes in pairs; a param may bring one that is missing. */
function* checkWords(task: CancelTask): Generator<Finding> {
  const [attribute, text] =
    task.kind === 'exec' ? ['args', task.args] : ['target', 'target' in task ? task.target : null]
  if (text === null || text.includes('#{')) return
  const split = quotedWords(text)
  const of = task.kind === 'exec' ? quoting`the command ${task.command}` : task.kind
  if (!split.ok) yield { at: task.at, message: `the ${attribute} of ${of} ${split.message}` }
}

/** FET-1: the paths of a fetched artifact are relative and stay inside. */
function* checkFetch(task: Extract<CancelTask, { kind: 'fetchartifact' }>): Generator<Finding> {
  const { at } = task
  for (const path of [task.srcFile, task.srcDir, task.dest]) {
    if (path !== null && !staysInside(path)) {
      const message = quoting`the path ${path} of the fetched artifact leaves the folder of the job`
      yield { at, message }
    }
  }
}
