import { DEFAULT_GROUP } from '../entities/entities.ts'
import { flag, optional, required } from './attribute.ts'
import type { ElementRows } from './element.ts'

const DEFAULT_LABEL = '${COUNT}'

const STEPS = 'environmentvariables? dependencies* materials stage*'

/** Pipeline groups, pipelines and templates, without their materials and stages. */
export const PIPELINE_ELEMENTS = {
  pipelines: {
    attributes: { group: optional('name').or(DEFAULT_GROUP).as('name') },
    content: 'authorization? pipeline*',
    ordered: true,
  },
  authorization: { content: 'view? & operate? & admins?' },
  view: { content: '(user|role)+' },
  operate: { content: '(user|role)+' },
  admins: { content: '(user|role)*' },

  'pipelines/pipeline': {
    attributes: {
      name: required('name'),
      labeltemplate: optional('label').or(DEFAULT_LABEL).as('label'),
      isLocked: optional('boolean').withoutField(),
      /** The template whose stages it has, or null when it has its own. */
      template: optional('name'),
      lockBehavior: optional('lockBehavior').elsewhere().withoutField(),
    },
    content: `params? (trackingtool|mingle)? timer? ${STEPS}`,
    elsewhere: `params? (trackingtool|mingle)* timer? ${STEPS}`,
  },
  params: { content: 'param*' },
  param: { attributes: { name: required('name') }, content: '#text' },
  trackingtool: { attributes: { link: required('text'), regex: required('text') } },
  mingle: {
    attributes: { baseUrl: required('text'), projectIdentifier: required('nospace') },
    content: 'mqlGroupingConditions?',
    texts: { mqlGroupingConditions: optional('text').as('groupingConditions') },
  },
  mqlGroupingConditions: { content: '#text' },
  timer: { attributes: { onlyOnChanges: flag('false') }, content: '#text' },
  environmentvariables: { content: 'variable*' },
  variable: {
    attributes: { name: required('text'), secure: flag('false') },
    content: 'value? & encryptedValue?',
    elsewhere: '#text value? & encryptedValue?',
    texts: { encryptedValue: optional('text') },
  },
  dependencies: { content: 'depends*' },
  depends: { attributes: { pipeline: required('text'), stage: required('text') } },

  templates: { content: 'pipeline+', ordered: true },
  'templates/pipeline': {
    attributes: { name: required('name') },
    content: 'authorization? stage+',
  },
  'pipeline/authorization': {
    /** Whether the administrators of every group may view it. */
    attributes: { allGroupAdminsAreViewers: flag('false').elsewhere() },
    content: 'admins?',
    elsewhere: 'view? & admins?',
  },
} as const satisfies ElementRows
