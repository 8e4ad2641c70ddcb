/**
 * The style sheets that pages load, each with its parts in order. A part is a file beside the page
 * that it is for, and may be in several sheets.
 */
export const STYLE_SHEETS: Readonly<Record<string, readonly string[]>> = {
  'tokens.css': ['kit/styles/tokens.css'],
  'base.css': [
    'kit/styles/page.css',
    'kit/styles/frame.css',
    'kit/styles/controls.css',
    'kit/styles/marks.css',
    'kit/styles/details.css',
    'kit/styles/changes.css',
    'search/palette.css',
    'kit/styles/media.css',
  ],
  'api.css': ['api/api.css'],
  'audit.css': [
    'history/styles/filters.css',
    'kit/styles/flash-message.css',
    'audit/entries.css',
  ],
  'code.css': ['code/styles/tokens.css', 'code/styles/choice.css', 'code/styles/secrets.css'],
  'compare.css': [
    'kit/styles/flash-message.css',
    'compare/styles/cards.css',
    'compare/styles/hunks.css',
    'compare/styles/rows.css',
    'compare/styles/ruler.css',
    'compare/styles/media.css',
  ],
  'edit.css': ['snapshot/styles/outline.css', 'edit/edit.css'],
  'entity.css': ['entity/entity.css'],
  'history.css': [
    'history/styles/bars.css',
    'history/styles/filters.css',
    'history/styles/table.css',
    'history/styles/compare-bar.css',
    'history/styles/media.css',
  ],
  'runs.css': [
    'runs/styles/status.css',
    'kit/styles/flash-message.css',
    'agents/styles/agents.css',
    'agent-removal/removal.css',
    'agents/styles/media.css',
    'pipelines/pipelines.css',
    'runs/styles/timeline.css',
    'stage/stage.css',
    'job/console.css',
    'runs/styles/media.css',
  ],
  'login.css': ['login/login.css'],
  'my-tokens.css': ['kit/styles/flash-message.css', 'tokens/my-tokens.css'],
  'permissions.css': ['history/styles/filters.css', 'permissions/permissions.css'],
  'problems.css': ['problems/problems.css'],
  'search.css': ['search/search.css'],
  'snapshot.css': [
    'snapshot/styles/outline.css',
    'snapshot/styles/file.css',
    'snapshot/styles/listing.css',
    'snapshot/styles/media.css',
  ],
}
