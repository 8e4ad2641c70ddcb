import { z } from 'zod'
import type { ModelNode } from './model-node.ts'
import { At, Flag, OptionalText, Text, manyOf } from './values.ts'

/** A pattern of files whose changes do not trigger the pipeline. */
export const Ignore = z.object({ at: At, pattern: Text })
export type Ignore = z.infer<typeof Ignore>

const CHECKOUT = {
  at: At,
  /** The `materialName` as written; see `materialNameOf` for the name it goes by. */
  name: OptionalText,
  dest: OptionalText,
  autoUpdate: Flag,
  ignores: manyOf(Ignore),
  /** Whether the patterns name the files that trigger the pipeline, in place of those that do not. */
  invertFilter: Flag,
} as const

const CREDENTIALS = {
  username: OptionalText,
  password: OptionalText,
  encryptedPassword: OptionalText,
} as const

export const GitMaterial = z.object({
  kind: z.literal('git'),
  ...CHECKOUT,
  ...CREDENTIALS,
  url: Text,
  branch: Text,
  shallowClone: Flag,
})
export type GitMaterial = z.infer<typeof GitMaterial>

export const SvnMaterial = z.object({
  kind: z.literal('svn'),
  ...CHECKOUT,
  ...CREDENTIALS,
  url: Text,
  checkExternals: Flag,
})
export type SvnMaterial = z.infer<typeof SvnMaterial>

export const HgMaterial = z.object({
  kind: z.literal('hg'),
  ...CHECKOUT,
  ...CREDENTIALS,
  url: Text,
  branch: OptionalText,
})
export type HgMaterial = z.infer<typeof HgMaterial>

export const P4Material = z.object({
  kind: z.literal('p4'),
  ...CHECKOUT,
  ...CREDENTIALS,
  port: Text,
  useTickets: Flag,
  view: Text,
})
export type P4Material = z.infer<typeof P4Material>

export const TfsMaterial = z.object({
  kind: z.literal('tfs'),
  ...CHECKOUT,
  ...CREDENTIALS,
  url: Text,
  domain: OptionalText,
  projectPath: Text,
})
export type TfsMaterial = z.infer<typeof TfsMaterial>

/** The passing of a stage of another pipeline. */
export const DependencyMaterial = z.object({
  kind: z.literal('dependency'),
  at: At,
  name: OptionalText,
  pipeline: Text,
  stage: Text,
  /** Whether a new run of the other pipeline starts nothing by itself. */
  ignoreForScheduling: Flag,
})
export type DependencyMaterial = z.infer<typeof DependencyMaterial>

export const PackageMaterial = z.object({ kind: z.literal('package'), at: At, ref: Text })
export type PackageMaterial = z.infer<typeof PackageMaterial>

/** A source that a plugin knows how to read, defined under `scms`. */
export const ScmMaterial = z.object({
  kind: z.literal('scm'),
  at: At,
  ref: Text,
  dest: OptionalText,
  ignores: manyOf(Ignore),
  invertFilter: Flag,
})
export type ScmMaterial = z.infer<typeof ScmMaterial>

/** A kind of material that no schema knows, kept as it is written. */
export const UnknownMaterial = z.object({ kind: z.literal('unknown'), at: At, element: Text })
export type UnknownMaterial = z.infer<typeof UnknownMaterial>

export const Material = z.discriminatedUnion('kind', [
  GitMaterial,
  SvnMaterial,
  HgMaterial,
  P4Material,
  TfsMaterial,
  DependencyMaterial,
  PackageMaterial,
  ScmMaterial,
  UnknownMaterial,
])
export type Material = z.infer<typeof Material>

type Input = z.input<typeof Material>

const READERS: ReadonlyMap<string, (node: ModelNode) => Input> = new Map([
  ['git', readGit],
  ['svn', readSvn],
  ['hg', readHg],
  ['p4', readP4],
  ['tfs', readTfs],
  ['pipeline', readDependency],
  ['package', readPackage],
  ['scm', readScm],
])

export function readMaterials(pipeline: ModelNode): Input[] {
  return (pipeline.child('materials')?.children ?? []).map((node) => {
    const read = READERS.get(node.name) ?? readUnknown
    return read(node)
  })
}

function readGit(node: ModelNode): Input {
  return {
    kind: 'git',
    ...checkout(node),
    url: node.attribute('url') ?? '',
    branch: node.attribute('branch') ?? 'master',
    shallowClone: node.attribute('shallowClone') ?? 'false',
  }
}

function readSvn(node: ModelNode): Input {
  return {
    kind: 'svn',
    ...checkout(node),
    url: node.attribute('url') ?? '',
    checkExternals: node.attribute('checkexternals') ?? 'false',
  }
}

function readHg(node: ModelNode): Input {
  return {
    kind: 'hg',
    ...checkout(node),
    url: node.attribute('url') ?? '',
    branch: node.attribute('branch'),
  }
}

function readP4(node: ModelNode): Input {
  return {
    kind: 'p4',
    ...checkout(node),
    port: node.attribute('port') ?? '',
    useTickets: node.attribute('useTickets') ?? 'false',
    view: node.textOf('view') ?? '',
  }
}

function readTfs(node: ModelNode): Input {
  return {
    kind: 'tfs',
    ...checkout(node),
    url: node.attribute('url') ?? '',
    domain: node.attribute('domain'),
    projectPath: node.attribute('projectPath') ?? '',
  }
}

function readDependency(node: ModelNode): Input {
  return {
    kind: 'dependency',
    at: node.at,
    name: node.attribute('materialName'),
    pipeline: node.attribute('pipelineName') ?? '',
    stage: node.attribute('stageName') ?? '',
    ignoreForScheduling: node.attribute('ignoreForScheduling') ?? 'false',
  }
}

function readPackage(node: ModelNode): Input {
  return { kind: 'package', at: node.at, ref: node.attribute('ref') ?? '' }
}

function readScm(node: ModelNode): Input {
  return {
    kind: 'scm',
    at: node.at,
    ref: node.attribute('ref') ?? '',
    dest: node.attribute('dest'),
    ignores: readIgnores(node),
    invertFilter: node.attribute('invertFilter') ?? 'false',
  }
}

function readUnknown(node: ModelNode): Input {
  return { kind: 'unknown', at: node.at, element: node.name }
}

function checkout(node: ModelNode) {
  return {
    at: node.at,
    name: node.attribute('materialName'),
    dest: node.attribute('dest'),
    autoUpdate: node.attribute('autoUpdate') ?? 'true',
    ignores: readIgnores(node),
    invertFilter: node.attribute('invertFilter') ?? 'false',
    username: node.attribute('username'),
    password: node.attribute('password'),
    encryptedPassword: node.attribute('encryptedPassword'),
  }
}

function readIgnores(node: ModelNode): z.input<typeof Ignore>[] {
  return node.list('filter', 'ignore').map((ignore) => ({
    at: ignore.at,
    pattern: ignore.attribute('pattern') ?? '',
  }))
}
