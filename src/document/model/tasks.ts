import { z } from 'zod'
import type { ModelNode } from './model-node.ts'
import {
  At,
  OptionalNumber,
  OptionalText,
  Plugin,
  Property,
  Text,
  readPlugin,
  readProperties,
  manyOf,
} from './values.ts'

/** The result of the job so far for which a task runs. */
export const RunIf = z.enum(['passed', 'failed', 'any'])
export type RunIf = z.infer<typeof RunIf>

const COMMON = {
  at: At,
  /** Empty means that the task runs when all before it passed. */
  runIf: manyOf(z.string().pipe(RunIf)),
  /** Where its `oncancel` elements are: at most one in a task, none in a cancel task. */
  cancels: manyOf(At),
} as const

const Exec = z.object({
  kind: z.literal('exec'),
  ...COMMON,
  command: Text,
  /** The older form: one text of words that may be in quotes. Never beside `arguments`. */
  args: OptionalText,
  arguments: manyOf(z.object({ at: At, text: Text })),
  workingDir: OptionalText,
  /** Seconds. */
  timeout: OptionalNumber,
})

const BuildTool = z.object({
  kind: z.enum(['ant', 'nant', 'rake']),
  ...COMMON,
  buildFile: OptionalText,
  target: OptionalText,
  workingDir: OptionalText,
  nantPath: OptionalText,
})

const FetchArtifact = z.object({
  kind: z.literal('fetchartifact'),
  ...COMMON,
  /** Null or empty for the pipeline that the task is in; `far/near` for an ancestor. */
  pipeline: OptionalText,
  stage: Text,
  job: Text,
  srcFile: OptionalText,
  srcDir: OptionalText,
  dest: OptionalText,
  /** Whether a plugin keeps the artifact, as later versions allow. */
  external: z.boolean(),
})

const PluginRun = z.object({
  kind: z.literal('plugin'),
  ...COMMON,
  plugin: Plugin,
  properties: manyOf(Property),
})

/** A kind of task that no schema knows, kept as it is written. */
const Unknown = z.object({ kind: z.literal('unknown'), ...COMMON, element: Text })

/** What runs when a task is cancelled. */
export const CancelTask = z.discriminatedUnion('kind', [
  Exec,
  BuildTool,
  FetchArtifact,
  PluginRun,
  Unknown,
])
export type CancelTask = z.infer<typeof CancelTask>

const ON_CANCEL = { onCancel: CancelTask.nullable() } as const

export const ExecTask = Exec.extend(ON_CANCEL)
export type ExecTask = z.infer<typeof ExecTask>

export const BuildToolTask = BuildTool.extend(ON_CANCEL)
export type BuildToolTask = z.infer<typeof BuildToolTask>

export const FetchArtifactTask = FetchArtifact.extend(ON_CANCEL)
export type FetchArtifactTask = z.infer<typeof FetchArtifactTask>

export const PluginTask = PluginRun.extend(ON_CANCEL)
export type PluginTask = z.infer<typeof PluginTask>

export const UnknownTask = Unknown.extend(ON_CANCEL)
export type UnknownTask = z.infer<typeof UnknownTask>

export const Task = z.discriminatedUnion('kind', [
  ExecTask,
  BuildToolTask,
  FetchArtifactTask,
  PluginTask,
  UnknownTask,
])
export type Task = z.infer<typeof Task>

type Input = z.input<typeof CancelTask>

export function readTasks(job: ModelNode): z.input<typeof Task>[] {
  return (job.child('tasks')?.children ?? []).map((node) => {
    const [onCancel = null] = node
      .list('oncancel')
      .flatMap((cancel) => cancel.children.map(readTask))
    return { ...readTask(node), onCancel }
  })
}

function readTask(node: ModelNode): Input {
  switch (node.name) {
    case 'exec':
      return readExec(node)
    case 'ant':
    case 'nant':
    case 'rake':
      return readBuildTool(node, node.name)
    case 'fetchartifact':
    case 'fetchPluggableArtifact':
      return readFetchArtifact(node)
    case 'task':
      return readPluginRun(node)
    default:
      return { kind: 'unknown', ...common(node), element: node.name }
  }
}

function readExec(node: ModelNode): Input {
  return {
    kind: 'exec',
    ...common(node),
    command: node.attribute('command') ?? '',
    args: node.attribute('args'),
    arguments: node.list('arg').map((arg) => ({
      at: arg.at,
      text: arg.attribute('value') ?? arg.text,
    })),
    workingDir: node.attribute('workingdir'),
    timeout: node.attribute('timeout'),
  }
}

function readBuildTool(node: ModelNode, kind: 'ant' | 'nant' | 'rake'): Input {
  return {
    kind,
    ...common(node),
    buildFile: node.attribute('buildfile'),
    target: node.attribute('target'),
    workingDir: node.attribute('workingdir'),
    nantPath: node.attribute('nantpath'),
  }
}

function readFetchArtifact(node: ModelNode): Input {
  return {
    kind: 'fetchartifact',
    ...common(node),
    pipeline: node.attribute('pipeline'),
    stage: node.attribute('stage') ?? '',
    job: node.attribute('job') ?? '',
    srcFile: node.attribute('srcfile'),
    srcDir: node.attribute('srcdir'),
    dest: node.attribute('dest'),
    external: isExternal(node),
  }
}

/** The origin had another name at first, and an element of its own before that. */
function isExternal(node: ModelNode): boolean {
  const origin = node.attribute('artifactOrigin') ?? node.attribute('origin')
  return node.name === 'fetchPluggableArtifact' || origin === 'external'
}

function readPluginRun(node: ModelNode): Input {
  const properties = readProperties(node.child('configuration'))
  return { kind: 'plugin', ...common(node), plugin: readPlugin(node), properties }
}

function common(node: ModelNode) {
  return {
    at: node.at,
    runIf: node.list('runif').map((runIf) => runIf.attribute('status') ?? ''),
    cancels: node.list('oncancel').map(({ at }) => at),
  }
}
