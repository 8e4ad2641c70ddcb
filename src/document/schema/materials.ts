import { z } from 'zod'
import type { SourceKind } from '../../core/source-address.ts'
import { type Attributes, flag, optional, OptionalText, required, Text } from './attribute.ts'
import type { ElementRow, ElementRows } from './element.ts'

/** A material that agents check out. */
export interface SourceRow extends ElementRow {
  readonly attributes: Attributes
  /** The attribute with the address of the repository; agents and the form of a new pipeline call it `url`. */
  readonly address: string
  /** The fields that an agent gets, beside those of all materials. */
  readonly sent: z.ZodObject
  /** The attributes and texts that the form of a new pipeline asks for, in the order in which they are written. */
  readonly asked: readonly string[]
}

const PLACE = {
  dest: optional('path'),
  /** As written; see `materialNameOf` for the name it goes by. */
  materialName: optional('name').as('name'),
  autoUpdate: flag('true'),
} as const

const LOGIN = {
  username: optional('text'),
  password: optional('text'),
  encryptedPassword: optional('text'),
} as const

/** The version that is known exactly has it in the address alone. */
const LOGIN_ELSEWHERE = {
  username: optional('text').elsewhere(),
  password: optional('text').elsewhere(),
  encryptedPassword: optional('text').elsewhere(),
} as const

/** Whether the patterns name the files that trigger the pipeline, in place of those that do not. */
const INVERSION = { invertFilter: flag('false').elsewhere() } as const

/** Cannot be read as an option by the tools that get it as an argument. */
const SentUrl = z
  .string()
  .max(4096)
  .regex(/^[^-\s]/, 'is not a URL')
const SentLogin = { username: OptionalText, password: z.string().max(4096).nullable() } as const
const Filled = z.string().min(1)

/** The materials that agents check out, by the names of their elements. */
export const SOURCE_ELEMENTS = {
  git: {
    attributes: {
      url: required('text'),
      dest: PLACE.dest,
      branch: optional('text').or('master'),
      materialName: PLACE.materialName,
      autoUpdate: PLACE.autoUpdate,
      ...LOGIN_ELSEWHERE,
      shallowClone: flag('false').elsewhere(),
      ...INVERSION,
    },
    content: 'filter?',
    address: 'url',
    sent: z.object({ url: SentUrl, branch: Filled }),
    asked: ['url', 'branch'],
  },
  svn: {
    attributes: {
      url: required('text'),
      ...LOGIN,
      checkexternals: flag('false').as('checkExternals'),
      ...PLACE,
      folder: optional('text').elsewhere(),
      ...INVERSION,
    },
    content: 'filter?',
    address: 'url',
    sent: z.object({ url: SentUrl, ...SentLogin }),
    asked: ['url', 'username', 'password'],
  },
  hg: {
    attributes: {
      url: required('text'),
      ...PLACE,
      folder: optional('text').elsewhere(),
      ...LOGIN_ELSEWHERE,
      branch: optional('text').elsewhere(),
      ...INVERSION,
    },
    content: 'filter?',
    address: 'url',
    sent: z.object({ url: SentUrl }),
    asked: ['url'],
  },
  p4: {
    attributes: {
      port: required('text'),
      ...LOGIN,
      useTickets: flag('false'),
      ...PLACE,
      ...INVERSION,
    },
    content: 'view filter?',
    texts: { view: required('text') },
    address: 'port',
    sent: z.object({ url: SentUrl, ...SentLogin, useTickets: z.boolean(), view: Filled }),
    asked: ['port', 'username', 'password', 'useTickets', 'view'],
  },
  tfs: {
    attributes: {
      url: required('text'),
      username: LOGIN.username.needed(),
      projectPath: required('text'),
      domain: optional('text'),
      password: LOGIN.password,
      encryptedPassword: LOGIN.encryptedPassword,
      ...PLACE,
      workspace: optional('text').elsewhere().withoutField(),
      workspaceOwner: optional('text').elsewhere().withoutField(),
      ...INVERSION,
    },
    content: 'filter?',
    address: 'url',
    sent: z.object({
      url: SentUrl,
      ...SentLogin,
      username: Text,
      domain: OptionalText,
      projectPath: Filled,
    }),
    asked: ['url', 'username', 'domain', 'password', 'projectPath'],
  },
} as const satisfies Readonly<Record<SourceKind, SourceRow>>

/** The attributes that the materials of configuration repositories have beside their own. */
const CHECKOUT = {
  password: LOGIN.password,
  encryptedPassword: LOGIN.encryptedPassword,
  autoUpdate: flag('true'),
  dest: optional('path2'),
  materialName: optional('name'),
  invertFilter: flag('false'),
} as const

/** Materials, of pipelines and of configuration repositories. */
export const MATERIAL_ELEMENTS = {
  materials: { content: '(pipeline|svn|hg|p4|git|tfs|package|scm)+', keepsUnknown: true },
  ...SOURCE_ELEMENTS,
  'p4/view': { content: '#text' },
  'materials/pipeline': {
    attributes: {
      pipelineName: required('text').as('pipeline'),
      stageName: required('text').as('stage'),
      materialName: PLACE.materialName,
      /** Whether a new run of the other pipeline starts nothing by itself. */
      ignoreForScheduling: flag('false').elsewhere(),
      serverAlias: optional('text').elsewhere(),
    },
  },
  'materials/package': { attributes: { ref: required('text') } },
  'materials/scm': {
    attributes: { ref: required('text'), dest: PLACE.dest, ...INVERSION },
    content: 'filter?',
  },
  filter: { content: 'ignore+' },
  ignore: { attributes: { pattern: required('text') } },

  'config-repos': { content: 'config-repo*', keepsUnknown: true },
  'config-repo': {
    attributes: { id: optional('name'), pluginId: optional('name'), plugin: optional('name') },
    content: '(svn|p4|git|hg|tfs|scm) configuration? rules?',
  },
  'config-repo/svn': {
    attributes: {
      url: required('text'),
      checkexternals: flag('false'),
      username: LOGIN.username,
      ...CHECKOUT,
    },
    content: 'filter?',
  },
  'config-repo/p4': {
    attributes: {
      port: required('text'),
      useTickets: flag('false'),
      username: LOGIN.username,
      ...CHECKOUT,
    },
    content: 'view filter?',
  },
  'config-repo/p4/view': { content: '#text' },
  'config-repo/git': {
    attributes: {
      url: required('text'),
      branch: optional('text'),
      shallowClone: flag('false'),
      username: LOGIN.username,
      ...CHECKOUT,
    },
    content: 'filter?',
  },
  'config-repo/hg': {
    attributes: {
      url: required('text'),
      branch: optional('text'),
      username: LOGIN.username,
      ...CHECKOUT,
    },
    content: 'filter?',
  },
  'config-repo/tfs': {
    attributes: {
      url: required('text'),
      username: LOGIN.username,
      projectPath: required('text'),
      domain: optional('text'),
      ...CHECKOUT,
    },
    content: 'filter?',
  },
  'config-repo/scm': {
    attributes: { ref: required('text'), dest: optional('path2') },
    content: 'filter?',
  },
} as const satisfies ElementRows
