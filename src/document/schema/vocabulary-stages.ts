import type { Definitions } from './vocabulary-notation.ts'

const TASK = '(exec|ant|nant|rake|fetchartifact|task)'
/** From 104 to 106 what a plugin keeps was fetched by a task of its own. */
const ANY_TASK = '(exec|ant|nant|rake|fetchartifact|fetchPluggableArtifact|task)'

/** Stages, jobs and tasks, in pipelines and in templates. */
export const STAGE_DEFINITIONS: Definitions = {
  stage: {
    attributes:
      'name:name! fetchMaterials:boolean cleanWorkingDir:boolean artifactCleanupProhibited:boolean',
    content: 'approval? environmentvariables? jobs+',
    others: { content: 'approval? & environmentvariables? & jobs+' },
  },
  approval: {
    attributes: 'type:approvalType!',
    content: 'authorization?',
    others: {
      attributes: 'type:approvalType allowOnlyOnSuccess:boolean',
      content: 'authorization? & auth?',
    },
  },
  'approval/authorization': { content: '(user|role)+' },
  auth: { content: '(user|role)+' },
  jobs: { content: 'job+' },
  job: {
    attributes: 'name:jobname! runOnAllAgents:boolean runInstanceCount:positive timeout:double',
    content: 'environmentvariables? & tasks? & artifacts? & resources? & tabs? & properties?',
    others: {
      attributes: 'elasticProfileId',
      content:
        'environmentvariables? & tasks? & artifacts? & resources? & agentConfig? & tabs? & properties?',
    },
  },

  agentConfig: { attributes: 'pluginId!', content: 'property*' },

  artifacts: {
    content: '(artifact|test)*',
    others: { content: '(artifact|test|log|pluggableArtifact)*' },
  },
  artifact: {
    attributes: 'src! dest:path',
    others: {
      attributes: 'src dest:path2 id:name storeId type:artifactType',
      content: 'configuration? & property*',
    },
  },
  pluggableArtifact: { attributes: 'id:name! storeId:name!', content: 'property*' },
  test: { attributes: 'src! dest:path', others: { attributes: 'dest:path2' } },
  log: { attributes: 'src dest' },
  resources: { content: 'resource*' },
  resource: { content: '#text' },
  tabs: { content: 'tab*' },
  tab: { attributes: 'name:tabName! path:nospace!' },
  properties: { content: 'property+' },
  'properties/property': { attributes: 'name:name! src:upTo512! xpath:upTo512!' },

  tasks: { content: `${TASK}*`, others: { content: `${ANY_TASK}*` } },
  exec: {
    attributes: 'command:command! args workingdir:path timeout:positive',
    content: '(arg|runif|oncancel)*',
    others: { attributes: 'command:nonblank! workingdir:path2' },
  },
  arg: { content: '#text', others: { attributes: 'value' } },
  ant: { attributes: 'buildfile target workingdir', content: '(runif|oncancel)*' },
  rake: { attributes: 'buildfile target workingdir', content: '(runif|oncancel)*' },
  nant: { attributes: 'buildfile target workingdir nantpath', content: '(runif|oncancel)*' },
  fetchartifact: {
    attributes:
      'stage! job! pipeline srcfile:path srcdir:path dest:path buildfile target workingdir',
    content: '(runif|oncancel)*',
    others: {
      attributes:
        'srcfile:path2 srcdir:path2 dest:path2 artifactId artifactOrigin:artifactOrigin origin:artifactOrigin serverAlias',
      content: '(configuration|runif|oncancel)*',
    },
  },
  fetchPluggableArtifact: {
    attributes: 'stage! job! pipeline artifactId! buildfile target workingdir',
    content: '(configuration|runif|oncancel)*',
  },
  task: {
    attributes: 'description',
    content: 'pluginConfiguration configuration? (runif|oncancel)*',
    others: { attributes: 'name' },
  },
  runif: { attributes: 'status:runStatus!' },
  oncancel: { content: `${TASK}?`, others: { content: `${ANY_TASK}?` } },
}
