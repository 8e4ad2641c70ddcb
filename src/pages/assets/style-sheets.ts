/**
 * The style sheets that pages load, each with its parts in order. The kit is for every page; the
 * other parts stand beside the pages that they are for.
 */
export const STYLE_SHEETS: Readonly<Record<string, readonly string[]>> = {
  'tokens.css': ['kit/styles/tokens.css'],
  'base.css': [
    'kit/styles/page.css',
    'kit/styles/frame.css',
    'kit/styles/cards.css',
    'kit/styles/tables.css',
    'kit/styles/forms.css',
    'kit/styles/marks.css',
    'kit/styles/changes.css',
  ],
  'api.css': ['api/api.css'],
  'audit.css': ['audit/audit.css'],
  'code.css': ['code/text.css'],
  'compare.css': ['compare/compare.css'],
  'edit.css': ['snapshot/outline.css', 'edit/edit.css'],
  'entity.css': ['runs/timeline.css', 'entity/entity.css'],
  'history.css': ['history/history.css'],
  'runs.css': [
    'agents/agents.css',
    'agent-removal/removal.css',
    'pipelines/pipelines.css',
    'runs/timeline.css',
    'stage/stage.css',
    'job/console.css',
  ],
  'login.css': ['login/login.css'],
  'permissions.css': ['permissions/permissions.css'],
  'rules.css': ['rules/rules.css'],
  'search.css': ['search/search.css'],
  'snapshot.css': ['snapshot/outline.css', 'snapshot/listing.css'],
}
