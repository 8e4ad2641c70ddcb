import { quotedWords } from '../../core/command-words.ts'
import type { CancelTask, FetchArtifactTask, Task } from '../../document/model/model.ts'
import { normalPath } from '../../document/rules/paths.ts'
import { COMMAND_ELEMENTS } from '../../document/schema/tasks.ts'
import { AssignmentRefusal } from './secrets.ts'
import { givenOf } from './sent-fields.ts'

const SECOND_MS = 1_000

/** The run of a job that an artifact is fetched from. */
export interface FetchSource {
  readonly pipelineName: string
  readonly pipelineCounter: number
  readonly stageName: string
  readonly stageCounter: string
  readonly jobName: string
}

export type FindFetchSource = (
  fetch: Pick<FetchArtifactTask, 'pipeline' | 'stage' | 'job'>,
) => Promise<FetchSource | null>

/** @throws {AssignmentRefusal} for a task that needs a plugin. */
export async function assignTasks(tasks: readonly Task[], findSource: FindFetchSource) {
  const assigned = []
  for (const task of tasks) {
    const onCancel = task.onCancel === null ? null : await commandOf(task.onCancel, findSource)
    assigned.push({ run: await commandOf(task, findSource), runIf: [...task.runIf], onCancel })
  }
  return assigned
}

async function commandOf(task: CancelTask, findSource: FindFetchSource) {
  switch (task.kind) {
    case 'exec':
      return execOf(task)
    case 'ant':
      return { type: 'ant' as const, ...givenOf(COMMAND_ELEMENTS.ant.sent, task) }
    case 'nant':
      return { type: 'nant' as const, ...givenOf(COMMAND_ELEMENTS.nant.sent, task) }
    case 'rake':
      return { type: 'rake' as const, ...givenOf(COMMAND_ELEMENTS.rake.sent, task) }
    case 'fetchartifact':
      return fetchOf(task, findSource)
    case 'plugin':
      throw new AssignmentRefusal(
        `A task needs the plugin ${task.plugin.id}, and there are no plugins`,
      )
    case 'unknown':
      throw new AssignmentRefusal(`The task ${task.element} is of no known kind`)
  }
}

function execOf(task: Extract<CancelTask, { kind: 'exec' }>) {
  const { command, args, timeout } = task
  return {
    type: 'exec' as const,
    ...givenOf(COMMAND_ELEMENTS.exec.sent, task),
    args: args === null ? task.arguments.map(({ text }) => text) : wordsOf(args, command),
    timeoutMs: timeout !== null && timeout > 0 ? Math.round(timeout * SECOND_MS) : null,
  }
}

async function fetchOf(
  task: Extract<CancelTask, { kind: 'fetchartifact' }>,
  findSource: FindFetchSource,
) {
  if (task.external) {
    throw new AssignmentRefusal('An artifact is kept by a plugin, and there are no plugins')
  }
  const { srcFile, srcDir } = task
  return {
    type: 'fetchartifact' as const,
    from: await findSource(task),
    // `.` for everything: an empty text would be refused by agents of earlier versions.
    src: normalPath(srcFile ?? srcDir ?? ''),
    srcKind: srcFile === null ? ('folder' as const) : ('file' as const),
    ...givenOf(COMMAND_ELEMENTS.fetchartifact.sent, task),
  }
}

/** @throws {AssignmentRefusal} for a quote that is not closed, which no save accepts any more. */
function wordsOf(args: string, command: string): string[] {
  const split = quotedWords(args)
  if (split.ok) return [...split.words]
  throw new AssignmentRefusal(`The attribute args of the command ${command} ${split.message}`)
}
