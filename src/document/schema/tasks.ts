import { z } from 'zod'
import { type Attributes, number, optional, OptionalText, required } from './attribute.ts'
import type { ElementRow, ElementRows } from './element.ts'

/** A task that agents run. */
export interface TaskRow extends ElementRow {
  readonly attributes: Attributes
  /** The fields that an agent gets as the document has them; where they may be null, an empty text is none. */
  readonly sent: z.ZodObject
  /** The attributes that the form of a new pipeline asks for as they are written, in their order. */
  readonly asked?: readonly string[]
}

const TASK = '(exec|ant|nant|rake|fetchartifact|task)'
/** From 104 to 106 what a plugin keeps was fetched by a task of its own. */
const ANY_TASK = '(exec|ant|nant|rake|fetchartifact|fetchPluggableArtifact|task)'
const CONDITIONS = '(runif|oncancel)*'

const BUILD = {
  buildfile: optional('text').as('buildFile'),
  target: optional('text'),
  workingdir: optional('text').as('workingDir'),
} as const

const ASKED = ['buildfile', 'target'] as const

/** Tasks of all kinds may have them in the schema. */
const IGNORED_BUILD = {
  buildfile: optional('text').withoutField(),
  target: optional('text').withoutField(),
  workingdir: optional('text').withoutField(),
} as const

const FETCHED = {
  stage: required('text'),
  job: required('text'),
  /** Null or empty for the pipeline that the task is in; `far/near` for an ancestor. */
  pipeline: optional('text'),
} as const

const SentBuild = z.object({
  /** Null for the tool's own default. */
  buildFile: OptionalText,
  target: OptionalText,
  /** Relative to the job's working folder; null is that folder. */
  workingDir: OptionalText,
})

/** The tasks that agents run, by the names of their elements. */
export const COMMAND_ELEMENTS = {
  exec: {
    attributes: {
      command: required('command'),
      /** The older form of its arguments: one text of words that may be in quotes. */
      args: optional('text'),
      workingdir: optional('path').as('workingDir'),
      /** Seconds. */
      timeout: number('positive'),
    },
    content: '(arg|runif|oncancel)*',
    sent: z.object({ command: z.string().min(1), workingDir: OptionalText }),
  },
  ant: { attributes: BUILD, content: CONDITIONS, sent: SentBuild, asked: ASKED },
  rake: { attributes: BUILD, content: CONDITIONS, sent: SentBuild, asked: ASKED },
  nant: {
    attributes: { ...BUILD, nantpath: optional('text').as('nantPath') },
    content: CONDITIONS,
    /** The folder of the nant executable, or null to look it up in PATH. */
    sent: SentBuild.extend({ nantPath: OptionalText }),
    asked: ASKED,
  },
  fetchartifact: {
    attributes: {
      ...FETCHED,
      srcfile: optional('path').as('srcFile'),
      srcdir: optional('path').as('srcDir'),
      dest: optional('path'),
      ...IGNORED_BUILD,
      artifactId: optional('text').elsewhere().withoutField(),
      artifactOrigin: optional('artifactOrigin').elsewhere().withoutField(),
      origin: optional('artifactOrigin').elsewhere().withoutField(),
      serverAlias: optional('text').elsewhere(),
    },
    content: CONDITIONS,
    elsewhere: '(configuration|runif|oncancel)*',
    /** The target below the working folder; null is that folder. */
    sent: z.object({ dest: OptionalText }),
  },
} as const satisfies Readonly<Record<string, TaskRow>>

/** Tasks, also those of plugins. */
export const TASK_ELEMENTS = {
  tasks: { content: `${TASK}*`, elsewhere: `${ANY_TASK}*`, keepsUnknown: true },
  ...COMMAND_ELEMENTS,
  arg: { attributes: { value: optional('text').elsewhere() }, content: '#text' },
  fetchPluggableArtifact: {
    attributes: { ...FETCHED, artifactId: required('text'), ...IGNORED_BUILD },
    content: '(configuration|runif|oncancel)*',
  },
  task: {
    attributes: {
      description: optional('text').withoutField(),
      name: optional('text').elsewhere().withoutField(),
    },
    content: `pluginConfiguration configuration? ${CONDITIONS}`,
  },
  runif: { attributes: { status: required('runStatus') } },
  oncancel: { content: `${TASK}?`, elsewhere: `${ANY_TASK}?` },
} as const satisfies ElementRows
