import type { Definitions } from './vocabulary-notation.ts'

const STEPS = 'environmentvariables? dependencies* materials stage*'

/** Pipeline groups, pipelines, their materials, and templates. */
export const PIPELINE_DEFINITIONS: Definitions = {
  pipelines: { attributes: 'group:name', content: 'authorization? pipeline*' },
  authorization: { content: 'view? & operate? & admins?' },
  view: { content: '(user|role)+' },
  operate: { content: '(user|role)+' },
  admins: { content: '(user|role)*' },

  'pipelines/pipeline': {
    attributes: 'name:name! labeltemplate:label isLocked:boolean template:name',
    content: `params? (trackingtool|mingle)? timer? ${STEPS}`,
    others: {
      attributes: 'labeltemplate:nonblank lockBehavior:lockBehavior',
      content: `params? (trackingtool|mingle)* timer? ${STEPS}`,
    },
  },
  params: { content: 'param*' },
  param: { attributes: 'name:name!', content: '#text' },
  trackingtool: { attributes: 'link! regex!' },
  mingle: {
    attributes: 'baseUrl! projectIdentifier:nospace!',
    content: 'mqlGroupingConditions?',
  },
  mqlGroupingConditions: { content: '#text' },
  timer: { attributes: 'onlyOnChanges:boolean', content: '#text' },
  environmentvariables: { content: 'variable*' },
  variable: {
    attributes: 'name! secure:boolean',
    content: 'value? & encryptedValue?',
    others: { content: '#text value? & encryptedValue?' },
  },
  dependencies: { content: 'depends*' },
  depends: { attributes: 'pipeline! stage!' },

  materials: { content: '(pipeline|svn|hg|p4|git|tfs|package|scm)+' },
  git: {
    attributes: 'url! dest:path branch materialName:name autoUpdate:boolean',
    content: 'filter?',
    others: {
      attributes:
        'dest:path2 username password encryptedPassword shallowClone:boolean invertFilter:boolean',
    },
  },
  svn: {
    attributes:
      'url! username password encryptedPassword checkexternals:boolean dest:path materialName:name autoUpdate:boolean',
    content: 'filter?',
    others: { attributes: 'dest:path2 folder invertFilter:boolean' },
  },
  hg: {
    attributes: 'url! dest:path materialName:name autoUpdate:boolean',
    content: 'filter?',
    others: {
      attributes:
        'dest:path2 folder username password encryptedPassword branch invertFilter:boolean',
    },
  },
  p4: {
    attributes:
      'port! username password encryptedPassword useTickets:boolean dest:path materialName:name autoUpdate:boolean',
    content: 'view filter?',
    others: { attributes: 'dest:path2 invertFilter:boolean' },
  },
  'p4/view': { content: '#text' },
  tfs: {
    attributes:
      'url! username! projectPath! domain password encryptedPassword dest:path materialName:name autoUpdate:boolean',
    content: 'filter?',
    others: { attributes: 'dest:path2 workspace workspaceOwner invertFilter:boolean' },
  },
  'materials/pipeline': {
    attributes: 'pipelineName! stageName! materialName:name',
    others: { attributes: 'ignoreForScheduling:boolean serverAlias' },
  },
  'materials/package': { attributes: 'ref!' },
  'materials/scm': {
    attributes: 'ref! dest:path',
    content: 'filter?',
    others: { attributes: 'dest:path2 invertFilter:boolean' },
  },
  filter: { content: 'ignore+' },
  ignore: { attributes: 'pattern!' },

  templates: { content: 'pipeline+' },
  'templates/pipeline': { attributes: 'name:name!', content: 'authorization? stage+' },
  'pipeline/authorization': {
    content: 'admins?',
    others: { attributes: 'allGroupAdminsAreViewers:boolean', content: 'view? & admins?' },
  },
}
