import { z } from 'zod'
import { COMMAND_ELEMENTS, TASK_ELEMENTS } from '../schema/tasks.ts'
import {
  At,
  childrenOf,
  constant,
  ELEMENT_NAME,
  manyOf,
  many,
  type Model,
  modelOf,
  type ValueOf,
} from './fields.ts'
import type { ModelNode } from './model-node.ts'
import { CONFIGURATION, PLUGIN } from './values.ts'

/** The result of the job so far for which a task runs. */
const RunIf = z.enum(['passed', 'failed', 'any'])

const COMMON = {
  /** Empty means that the task runs when all before it passed. */
  runIf: {
    form: manyOf(z.string().pipe(RunIf)),
    read: (node: ModelNode) => node.list('runif').map((each) => each.attribute('status') ?? ''),
  },
  /** Where its `oncancel` elements are: at most one in a task, none in a cancel task. */
  cancels: {
    form: manyOf(At),
    read: (node: ModelNode) => node.list('oncancel').map(({ at }) => at),
  },
} as const

const Argument = modelOf(
  {},
  {
    text: { form: z.string(), read: (arg: ModelNode) => arg.attribute('value') ?? arg.text },
  },
)

const Exec = modelOf(COMMAND_ELEMENTS.exec, {
  kind: constant('exec'),
  ...COMMON,
  /** Never beside `args`, the older form: one text of words that may be in quotes. */
  arguments: many(Argument, 'arg'),
})

const BuildTool = modelOf(COMMAND_ELEMENTS.nant, {
  kind: { form: z.enum(['ant', 'nant', 'rake']), read: ({ name }: ModelNode) => name },
  ...COMMON,
})

const FetchArtifact = modelOf(COMMAND_ELEMENTS.fetchartifact, {
  kind: constant('fetchartifact'),
  ...COMMON,
  /** Whether a plugin keeps the artifact, as later versions allow. */
  external: { form: z.boolean(), read: isExternal },
})

const PluginRun = modelOf(TASK_ELEMENTS.task, {
  kind: constant('plugin'),
  ...COMMON,
  plugin: PLUGIN,
  properties: CONFIGURATION,
})

/** A kind of task that no schema knows, kept as it is written. */
const Unknown = modelOf({}, { kind: constant('unknown'), ...COMMON, element: ELEMENT_NAME })

const BY_ELEMENT: ReadonlyMap<string, Model> = new Map<string, Model>([
  ['exec', Exec],
  ['ant', BuildTool],
  ['nant', BuildTool],
  ['rake', BuildTool],
  ['fetchartifact', FetchArtifact],
  ['fetchPluggableArtifact', FetchArtifact],
  ['task', PluginRun],
])

/** The task that runs when another one is cancelled. */
const CancelTask = {
  form: z.discriminatedUnion('kind', [
    Exec.form,
    BuildTool.form,
    FetchArtifact.form,
    PluginRun.form,
    Unknown.form,
  ]),
  read: (node: ModelNode) => (BY_ELEMENT.get(node.name) ?? Unknown).read(node),
}
export type CancelTask = ValueOf<typeof CancelTask>

const ON_CANCEL = { onCancel: CancelTask.form.nullable() } as const

const FetchArtifactForm = FetchArtifact.form.extend(ON_CANCEL)
export type FetchArtifactTask = z.infer<typeof FetchArtifactForm>

const Task = {
  form: z.discriminatedUnion('kind', [
    Exec.form.extend(ON_CANCEL),
    BuildTool.form.extend(ON_CANCEL),
    FetchArtifactForm,
    PluginRun.form.extend(ON_CANCEL),
    Unknown.form.extend(ON_CANCEL),
  ]),
  read: (node: ModelNode) => {
    const [cancel = null] = node.list('oncancel').flatMap(({ children }) => children)
    return { ...CancelTask.read(node), onCancel: cancel && CancelTask.read(cancel) }
  },
}
export type Task = ValueOf<typeof Task>

export const TASK_LIST = childrenOf('tasks', Task)

/** The origin had another name at first, and an element of its own before that. */
function isExternal(node: ModelNode): boolean {
  const origin = node.attribute('artifactOrigin') ?? node.attribute('origin')
  return node.name === 'fetchPluggableArtifact' || origin === 'external'
}
