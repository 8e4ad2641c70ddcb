import { capitalised } from '../../lib/texts.ts'

/**
 * The words of a form where the names of the schema are none for people: of a field (`key@attribute`, or
 * `@attribute` wherever it is), of a section (`key`), of a list (`key*`), and of a row of a list or of one kind (`key+`).
 */
const LABELS: Readonly<Record<string, string>> = {
  '@group': 'Name',
  '@uuid': 'Agent (UUID)',
  '@url': 'URL',
  '@src': 'Source',
  '@dest': 'Destination folder',
  '@srcfile': 'File',
  '@srcdir': 'Folder',
  '@buildfile': 'Build file',
  '@workingdir': 'Working folder',
  '@nantpath': 'NAnt folder',
  '@materialName': 'Name of the material',
  '@autoUpdate': 'Poll for changes',
  '@invertFilter': 'The patterns name what triggers',
  '@checkexternals': 'Check externals',
  '@username': 'User name',
  '@cleanWorkingDir': 'Clean the working folder',
  '@artifactCleanupProhibited': 'Never clean up artifacts',
  'trackingtool@regex': 'Pattern',
  '@elasticProfileId': 'Elastic profile',
  '@ref': 'Reference',
  'p4@port': 'Port of the server',
  'exec@command': 'Program',
  'exec@args': 'Arguments (one line)',
  'exec@timeout': 'Timeout (seconds)',
  'job@timeout': 'Timeout (minutes)',
  'job@runInstanceCount': 'Instances',
  'job@runOnAllAgents': 'Run on all agents',
  'pipelines/pipeline@labeltemplate': 'Label',
  'pipelines/pipeline@isLocked': 'One run at a time',
  'pipelines/pipeline@lockBehavior': 'Lock',
  'pipelines/pipeline@template': 'Template',
  'materials/pipeline@pipelineName': 'Pipeline',
  'materials/pipeline@stageName': 'Stage',
  'materials/pipeline@ignoreForScheduling': 'Does not trigger',
  'approval@type': 'Start',
  'timer@text': 'Schedule (cron)',
  'timer@onlyOnChanges': 'Only on changes',
  'param@text': 'Value',
  'variable@value': 'Value',
  'user@text': 'User',
  'role@text': 'Role',
  'users/user@text': 'User',
  'role/user@text': 'User',
  'resource@text': 'Resource',
  'arg@text': 'Argument',
  'p4/view@text': 'View',
  'allow@text': 'Resource',
  'deny@text': 'Resource',
  'pipeline/authorization@allGroupAdminsAreViewers': 'Administrators of all groups may view it',

  authorization: 'Permissions',
  'pipeline/authorization': 'Permissions',
  trackingtool: 'Tracking tool',
  approval: 'Approval',

  'trackingtool*': 'Tracking tools',
  'params*': 'Parameters',
  'environmentvariables*': 'Variables',
  'materials*': 'Materials',
  'filter*': 'Ignored files',
  'ignore+': 'pattern',
  'stage*': 'Stages',
  'jobs*': 'Jobs',
  'tasks*': 'Tasks',
  'arg*': 'Arguments',
  'runif*': 'Runs if',
  'artifacts*': 'Artifacts',
  'resources*': 'Resources',
  'tabs*': 'Tabs',
  'view*': 'View',
  'operate*': 'Operate',
  'admins*': 'Administrators',
  'approval/authorization*': 'People who may start it',
  'users*': 'Users',
  'role/user*': 'Users beside the list',
  'policy*': 'Policy',
  'environment/agents*': 'Agents',
  'environment/pipelines*': 'Pipelines',

  'materials+': 'material',
  'tasks+': 'task',
  'git+': 'Git',
  'svn+': 'Subversion',
  'hg+': 'Mercurial',
  'p4+': 'Perforce',
  'tfs+': 'Team Foundation Server',
  'materials/pipeline+': 'upstream pipeline',
  'materials/package+': 'package',
  'materials/scm+': 'pluggable SCM',
  'exec+': 'command',
  'ant+': 'Ant',
  'nant+': 'NAnt',
  'rake+': 'Rake',
  'fetchartifact+': 'fetched artifact',
  'arg+': 'argument',
  'runif+': 'condition',
  'param+': 'parameter',
  'test+': 'test report',
  'physical+': 'agent',
  'trackingtool+': 'tracking tool',
  'environment/pipelines/pipeline+': 'pipeline',
}

export function formLabel(key: string): string {
  const place = key.indexOf('@')
  const known = LABELS[key] ?? (place === -1 ? undefined : LABELS[key.slice(place)])
  if (known !== undefined) return known
  const name = key.slice(Math.max(key.lastIndexOf('/'), place) + 1).replace(/[*+]$/, '')
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return key.endsWith('+') ? words : capitalised(words)
}

/** The parts that people look for first, before those in the order of the schema. */
const FIRST: readonly string[] = ['users', 'authorization', 'materials', 'stage', 'jobs', 'tasks']

export function rankOf({ name }: { readonly name: string }): number {
  const rank = FIRST.indexOf(name)
  return rank === -1 ? FIRST.length : rank
}
