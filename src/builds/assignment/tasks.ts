import { quotedWord, quotedWords } from '../../core/service/command-words.ts'
import type { CancelTask, FetchArtifactTask, Task } from '../../document/model/model.ts'
import { normalPath } from '../../document/rules/paths.ts'
import { COMMAND_ELEMENTS } from '../../document/schema/tasks.ts'
import { scriptOf } from '../../document/unsupported/script-executor.ts'
import { AssignmentRefusal, type JobTexts } from './secrets.ts'
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

export interface TaskSources {
  readonly texts: JobTexts
  readonly findSource: FindFetchSource
}

/** @throws {AssignmentRefusal} for a task that needs a plugin, or a secret that cannot be read. */
export async function assignTasks(tasks: readonly Task[], sources: TaskSources) {
  const assigned = []
  for (const task of tasks) {
    const onCancel = task.onCancel === null ? null : await commandOf(task.onCancel, sources)
    assigned.push({ run: await commandOf(task, sources), runIf: [...task.runIf], onCancel })
  }
  return assigned
}

async function commandOf(task: CancelTask, sources: TaskSources) {
  const { texts } = sources
  switch (task.kind) {
    case 'exec':
      return execOf(task, texts)
    case 'ant':
    case 'nant':
    case 'rake':
      return buildOf(task, texts)
    case 'fetchartifact':
      return fetchOf(task, sources)
    case 'plugin':
      return scriptTaskOf(task, texts)
    case 'unknown':
      throw new AssignmentRefusal(`The task ${task.element} is of no known kind`)
  }
}

async function execOf(task: Extract<CancelTask, { kind: 'exec' }>, texts: JobTexts) {
  const { command, args, timeout } = task
  const words = args === null ? task.arguments.map(({ text }) => text) : wordsOf(args, command)
  const given = givenOf(COMMAND_ELEMENTS.exec.sent, task)
  return {
    type: 'exec' as const,
    ...(await filled(given, texts, `The command ${command}`)),
    args: await filledList(words, texts, `An argument of the command ${command}`),
    timeoutMs: timeout !== null && timeout > 0 ? Math.round(timeout * SECOND_MS) : null,
  }
}

async function buildOf(
  task: Extract<CancelTask, { kind: 'ant' | 'nant' | 'rake' }>,
  texts: JobTexts,
) {
  const of = `A text of the task ${task.kind}`
  // The agent splits the target into words: a secret is one of them, whatever is in it.
  const target = task.target === null ? null : await texts.fill(task.target, of, quotedWord)
  const given = { ...task, target }
  const { kind } = task
  if (kind === 'nant') {
    const sent = givenOf(COMMAND_ELEMENTS.nant.sent, given)
    return { type: kind, ...(await filled(sent, texts, of)) }
  }
  return { type: kind, ...(await filled(givenOf(COMMAND_ELEMENTS.ant.sent, given), texts, of)) }
}

async function fetchOf(
  task: Extract<CancelTask, { kind: 'fetchartifact' }>,
  { texts, findSource }: TaskSources,
) {
  if (task.external) {
    throw new AssignmentRefusal('An artifact is kept by a plugin, and there are no plugins')
  }
  const { srcFile, srcDir } = task
  const of = 'A path of a fetched artifact'
  return {
    type: 'fetchartifact' as const,
    from: await findSource(task),
    // `.` for everything: an empty text would be refused by agents of earlier versions.
    src: normalPath(await texts.fill(srcFile ?? srcDir ?? '', of)),
    srcKind: srcFile === null ? ('folder' as const) : ('file' as const),
    ...(await filled(givenOf(COMMAND_ELEMENTS.fetchartifact.sent, task), texts, of)),
  }
}

/** The script of a task of the plugin script-executor, as the shell runs it. */
async function scriptTaskOf(task: Extract<CancelTask, { kind: 'plugin' }>, texts: JobTexts) {
  const script = scriptOf(task)
  if (script === null) {
    throw new AssignmentRefusal(
      `A task needs the plugin ${task.plugin.id}, and there are no plugins`,
    )
  }
  return {
    type: 'exec' as const,
    command: 'sh',
    args: ['-c', await texts.fill(script, 'The script of a task')],
    workingDir: null,
    timeoutMs: null,
  }
}

/** The fields with the secrets that their texts refer to. */
async function filled<Given extends object>(
  given: Given,
  texts: JobTexts,
  of: string,
): Promise<Given> {
  const fields: Partial<Record<string, unknown>> = {}
  for (const [name, value] of Object.entries(given)) {
    fields[name] = typeof value === 'string' ? await texts.fill(value, of) : value
  }
  return { ...given, ...fields }
}

async function filledList(given: readonly string[], texts: JobTexts, of: string) {
  const list = []
  for (const text of given) list.push(await texts.fill(text, of))
  return list
}

/** @throws {AssignmentRefusal} for a quote that is not closed, which no save accepts any more. */
function wordsOf(args: string, command: string): string[] {
  const split = quotedWords(args)
  if (split.ok) return [...split.words]
  throw new AssignmentRefusal(`The attribute args of the command ${command} ${split.message}`)
}
