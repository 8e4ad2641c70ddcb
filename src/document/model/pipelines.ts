import { z } from 'zod'
import { Flag } from '../schema/attribute.ts'
import { PIPELINE_ELEMENTS } from '../schema/pipelines.ts'
import { many, modelOf, one, OWN_TEXT, type ValueOf } from './fields.ts'
import { MATERIAL_LIST } from './materials.ts'
import type { ModelNode } from './model-node.ts'
import { STAGE_LIST } from './stages.ts'
import { unknownIn } from './unknown-parts.ts'
import { GRANTEES, VARIABLES } from './values.ts'

/** The permissions of a group or a template. Null for a list that is not there. */
const Authorization = modelOf(PIPELINE_ELEMENTS['pipeline/authorization'], {
  view: one('view', GRANTEES),
  operate: one('operate', GRANTEES),
  admins: one('admins', GRANTEES),
})
export type Authorization = ValueOf<typeof Authorization>

const Param = modelOf(PIPELINE_ELEMENTS.param, { value: OWN_TEXT })
export type Param = ValueOf<typeof Param>

const TrackingTool = modelOf(PIPELINE_ELEMENTS.trackingtool)
export type TrackingTool = ValueOf<typeof TrackingTool>

const Mingle = modelOf(PIPELINE_ELEMENTS.mingle)
export type Mingle = ValueOf<typeof Mingle>

const Timer = modelOf(PIPELINE_ELEMENTS.timer, { cron: OWN_TEXT })
export type Timer = ValueOf<typeof Timer>

export const Pipeline = modelOf(PIPELINE_ELEMENTS['pipelines/pipeline'], {
  isLocked: {
    form: Flag,
    read: (node: ModelNode) => node.attribute('isLocked') ?? String(lockOf(node) !== 'none'),
  },
  /** Whether a run that does not go on by itself gives the lock back, also after a failure. */
  unlocksWhenFinished: {
    form: z.boolean(),
    read: (node: ModelNode) => lockOf(node) === 'unlockWhenFinished',
  },
  params: many(Param, 'params', 'param'),
  trackingTool: one('trackingtool', TrackingTool),
  mingle: one('mingle', Mingle),
  timer: one('timer', Timer),
  variables: VARIABLES,
  materials: MATERIAL_LIST,
  stages: STAGE_LIST,
  unknown: unknownIn('materials', (node) => node.child('materials')),
})
export type Pipeline = ValueOf<typeof Pipeline>

export const PipelineGroup = modelOf(PIPELINE_ELEMENTS.pipelines, {
  authorization: one('authorization', Authorization),
  pipelines: many(Pipeline, 'pipeline'),
})
export type PipelineGroup = ValueOf<typeof PipelineGroup>

export const Template = modelOf(PIPELINE_ELEMENTS['templates/pipeline'], {
  authorization: one('authorization', Authorization),
  stages: STAGE_LIST,
})
export type Template = ValueOf<typeof Template>

function lockOf(pipeline: ModelNode): string {
  return pipeline.attribute('lockBehavior') ?? 'none'
}
