import { z } from 'zod'
import { DEFAULT_GROUP } from '../entities/entities.ts'
import { Material, readMaterials } from './materials.ts'
import type { ModelNode } from './model-node.ts'
import { readStages, Stage } from './stages.ts'
import { readUnknownParts, UnknownParts } from './unknown-parts.ts'
import {
  At,
  Flag,
  OptionalText,
  Grantee,
  readPrincipals,
  readVariables,
  Text,
  Variable,
  manyOf,
} from './values.ts'

/** Who may do what with a group. Null for a list that is not there. */
export const Authorization = z.object({
  at: At,
  view: manyOf(Grantee).nullable(),
  operate: manyOf(Grantee).nullable(),
  admins: manyOf(Grantee).nullable(),
  /** Of a template: whether the administrators of every group may view it. */
  allGroupAdminsAreViewers: Flag,
})
export type Authorization = z.infer<typeof Authorization>

export const Param = z.object({ at: At, name: Text, value: Text })
export type Param = z.infer<typeof Param>

export const TrackingTool = z.object({ at: At, link: Text, regex: Text })
export type TrackingTool = z.infer<typeof TrackingTool>

export const Mingle = z.object({
  at: At,
  baseUrl: Text,
  projectIdentifier: Text,
  groupingConditions: OptionalText,
})
export type Mingle = z.infer<typeof Mingle>

export const Timer = z.object({ at: At, cron: Text, onlyOnChanges: Flag })
export type Timer = z.infer<typeof Timer>

export const Pipeline = z.object({
  at: At,
  name: Text,
  label: Text,
  isLocked: Flag,
  /** Whether a run that does not go on by itself gives the lock back, also after a failure. */
  unlocksWhenFinished: z.boolean(),
  /** The template whose stages it has, or null when it has its own. */
  template: OptionalText,
  params: manyOf(Param),
  trackingTool: TrackingTool.nullable(),
  mingle: Mingle.nullable(),
  timer: Timer.nullable(),
  variables: manyOf(Variable),
  materials: manyOf(Material),
  stages: manyOf(Stage),
  unknown: UnknownParts,
})
export type Pipeline = z.infer<typeof Pipeline>

export const PipelineGroup = z.object({
  at: At,
  name: Text,
  authorization: Authorization.nullable(),
  pipelines: manyOf(Pipeline),
})
export type PipelineGroup = z.infer<typeof PipelineGroup>

export const Template = z.object({
  at: At,
  name: Text,
  authorization: Authorization.nullable(),
  stages: manyOf(Stage),
})
export type Template = z.infer<typeof Template>

export const DEFAULT_LABEL = '${COUNT}'

export function readGroup(node: ModelNode): z.input<typeof PipelineGroup> {
  return {
    at: node.at,
    name: node.attribute('group') ?? DEFAULT_GROUP,
    authorization: readAuthorization(node),
    pipelines: node.list('pipeline').map(readPipeline),
  }
}

export function readTemplate(node: ModelNode): z.input<typeof Template> {
  return {
    at: node.at,
    name: node.attribute('name') ?? '',
    authorization: readAuthorization(node),
    stages: readStages(node),
  }
}

function readAuthorization(owner: ModelNode): z.input<typeof Authorization> | null {
  const node = owner.child('authorization')
  if (!node) return null
  const [view, operate, admins] = ['view', 'operate', 'admins'].map((list) => {
    const child = node.child(list)
    return child && readPrincipals(child)
  })
  return {
    at: node.at,
    view: view ?? null,
    operate: operate ?? null,
    admins: admins ?? null,
    allGroupAdminsAreViewers: node.attribute('allGroupAdminsAreViewers') ?? 'false',
  }
}

export function readPipeline(node: ModelNode): z.input<typeof Pipeline> {
  const lockBehavior = node.attribute('lockBehavior') ?? 'none'
  return {
    at: node.at,
    name: node.attribute('name') ?? '',
    label: node.attribute('labeltemplate') ?? DEFAULT_LABEL,
    isLocked: node.attribute('isLocked') ?? String(lockBehavior !== 'none'),
    unlocksWhenFinished: lockBehavior === 'unlockWhenFinished',
    template: node.attribute('template'),
    params: node.list('params', 'param').map((param) => ({
      at: param.at,
      name: param.attribute('name') ?? '',
      value: param.text,
    })),
    trackingTool: readTrackingTool(node.child('trackingtool')),
    mingle: readMingle(node.child('mingle')),
    timer: readTimer(node.child('timer')),
    variables: readVariables(node),
    materials: readMaterials(node),
    stages: readStages(node),
    unknown: readUnknownParts(node.child('materials'), 'materials'),
  }
}

function readTrackingTool(node: ModelNode | null): TrackingTool | null {
  if (!node) return null
  return { at: node.at, link: node.attribute('link') ?? '', regex: node.attribute('regex') ?? '' }
}

function readMingle(node: ModelNode | null): Mingle | null {
  if (!node) return null
  return {
    at: node.at,
    baseUrl: node.attribute('baseUrl') ?? '',
    projectIdentifier: node.attribute('projectIdentifier') ?? '',
    groupingConditions: node.textOf('mqlGroupingConditions'),
  }
}

function readTimer(node: ModelNode | null): z.input<typeof Timer> | null {
  if (!node) return null
  return {
    at: node.at,
    cron: node.text,
    onlyOnChanges: node.attribute('onlyOnChanges') ?? 'false',
  }
}
