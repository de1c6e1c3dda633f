// Commands that deploy a folder with a deploy token, for CI and a shell. They run as printed: each sends ./docs, waits for
// the result, prints it, and fails if the deploy fails.

/** Tools, in the order in which they are shown. */
export const snippetTools = ['GitHub Actions', 'GitLab CI', 'curl', 'CLI'] as const
export type SnippetTool = (typeof snippetTools)[number]

interface Snippet {
  /** What to do with it. */
  lead: string
  text: string
}

/** `token`: the text of one that was just created; otherwise a placeholder is printed. */
export function snippetsOf(
  dashboard: string,
  slug: string,
  token = 'as_pat_…',
): Record<SnippetTool, Snippet> {
  const script = scriptOf(`${dashboard}/api/projects/${slug}`)
  const secret = 'the token as its value'
  return {
    'GitHub Actions': {
      lead: `Add a repository secret named ANIMAL_STORE_TOKEN with ${secret}, and this file as .github/workflows/docs.yml.`,
      text: `name: Deploy documentation
on:
  push:
    branches: [main]
jobs:
  deploy:
    runs-on: ubuntu-latest
    permissions:
      contents: read
    steps:
      - uses: actions/checkout@v5
      - name: Deploy docs
        env:
          ANIMAL_STORE_TOKEN: \${{ secrets.ANIMAL_STORE_TOKEN }}
        run: |
${indented(script, 10)}`,
    },
    'GitLab CI': {
      lead: `Add a masked CI/CD variable named ANIMAL_STORE_TOKEN with ${secret}, and this job to .gitlab-ci.yml.`,
      text: `deploy-docs:
  image: buildpack-deps:curl
  rules:
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
  script:
    - |
${indented(script, 6)}`,
    },
    curl: {
      lead: 'Run these commands in the folder that contains docs. They need sh, tar and curl 7.76 or later.',
      text: `export ANIMAL_STORE_TOKEN=${token}
sh <<'DEPLOY'
${script}
DEPLOY`,
    },
    CLI: {
      lead: 'Run these commands in the folder of Animal Store, with the folder of your documentation instead of docs. Only files that changed are sent.',
      text: `export ANIMAL_STORE_URL=${dashboard}
export ANIMAL_STORE_TOKEN=${token}
./animal-store deploy docs --project ${slug}`,
    },
  }
}

/** `project` is its address in the API. */
const scriptOf = (project: string): string => `set -eu
project=${project}
ask() { curl -sS --fail-with-body -H "Authorization: Bearer $ANIMAL_STORE_TOKEN" "$@"; }
stop() { echo "$deploy" >&2; exit 1; }
site=$(mktemp)
tar -czf "$site" -C docs .
deploy=$(ask -H 'Content-Type: application/gzip' --data-binary "@$site" "$project/archives") || stop
number=$(echo "$deploy" | grep -o '"number":[0-9]*' | head -n 1 | cut -d : -f 2)
while echo "$deploy" | grep -Eq '"state":"(uploaded|building)"'; do
  deploy=$(ask "$project/deploys/$number?wait=20") || stop
done
if echo "$deploy" | grep -q '"state":"failed"'; then stop; fi
echo "$deploy"`

const indented = (text: string, spaces: number): string =>
  text.replaceAll(/^/gm, ' '.repeat(spaces))
