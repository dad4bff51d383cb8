{{- define "marketplace.name" -}}
{{- contains .Chart.Name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name .Chart.Name) | trunc 48 | trimSuffix "-" -}}
{{- end }}

{{/* Labels that select the pods of a component. They never change: the selector of a Deployment cannot. */}}
{{- define "marketplace.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- with .component }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end }}

{{- define "marketplace.labels" -}}
{{ include "marketplace.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{- define "marketplace.metadata" -}}
name: {{ include "marketplace.name" .root }}-{{ .component }}
labels:
  {{- include "marketplace.labels" . | nindent 2 }}
{{- end }}

{{/* Components that run: roles with a Deployment. */}}
{{- define "marketplace.components" -}}
gateway indexer
{{- if .Values.dispatcher.enabled }} dispatcher{{ end }}
{{- if .Values.agent.enabled }} agent{{ end }}
{{- end }}

{{/* Name of the Cluster of CloudNativePG. */}}
{{- define "marketplace.cluster" -}}
{{ include "marketplace.name" . }}-database
{{- end }}

{{/* The secret of the database: that of CloudNativePG, or the one that the values name. As JSON. */}}
{{- define "marketplace.database" -}}
{{- if .Values.cloudNativePg.enabled -}}
{{- dict "name" (printf "%s-app" (include "marketplace.cluster" .)) "key" "uri" | toJson -}}
{{- else -}}
{{- .Values.secrets.DATABASE_URL | toJson -}}
{{- end -}}
{{- end }}

{{/* Settings that follow from other values, under those of the values. As JSON. */}}
{{- define "marketplace.settings" -}}
{{- $derived := dict -}}
{{- if .Values.ingress.enabled -}}
{{- $derived = dict "PUBLIC_URL" (printf "https://%s" .Values.ingress.host) "TRUST_PROXY" "1" -}}
{{- end -}}
{{- merge (deepCopy .Values.settings) $derived | toJson -}}
{{- end }}

{{/* Components that get a secret. A secret that is not named here goes to all. */}}
{{- define "marketplace.readers" -}}
AGENT_SECRET_KEY: [agent]
INTERNAL_AGENT_SECRET: [agent, gateway]
MARKETPLACE_ADMIN_SECRET: [agent, dispatcher, gateway]
MARKETPLACE_ADMIN_SECRET_FALLBACK: [dispatcher, gateway]
CRON_SECRET: [gateway]
READ_DATABASE_URLS: [gateway]
SQL_DATABASE_URL: [gateway]
{{- end }}

{{/* Not empty if a component reads from the replica of CloudNativePG: the Service of replicas leads to any, so there must be one. */}}
{{- define "marketplace.hasReplica" -}}
{{- $values := .root.Values -}}
{{- if and (eq .component "gateway") $values.cloudNativePg.enabled (eq (int $values.cloudNativePg.instances) 2) (not (hasKey $values.secrets "READ_DATABASE_URLS")) -}}
yes
{{- end -}}
{{- end }}

{{/* Environment of a component: { root, component }. */}}
{{- define "marketplace.environment" -}}
{{- $readers := include "marketplace.readers" . | fromYaml -}}
- { name: HOST, value: 0.0.0.0 }
- { name: METRICS_PORT, value: "9464" }
- { name: DATA_DIR, value: /data }
{{- if eq .component "gateway" }}
- { name: PORT, value: "8080" }
{{- if .root.Values.agent.enabled }}
- { name: AGENT_URL, value: "http://{{ include "marketplace.name" .root }}-agent:8090" }
{{- end }}
{{- end }}
{{- if eq .component "agent" }}
- { name: AGENT_HOST, value: 0.0.0.0 }
- { name: AGENT_PORT, value: "8090" }
{{- end }}
{{- range $name, $value := include "marketplace.settings" .root | fromJson }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- if include "marketplace.hasReplica" . }}
- name: DATABASE_PASSWORD
  valueFrom:
    secretKeyRef: { name: {{ include "marketplace.cluster" .root }}-app, key: "password" }
- name: READ_DATABASE_URLS
  value: "postgres://marketplace:$(DATABASE_PASSWORD)@{{ include "marketplace.cluster" .root }}-ro:5432/marketplace"
{{- end }}
{{- $database := include "marketplace.database" .root | fromJson }}
{{- range $name, $ref := merge (dict "DATABASE_URL" $database) .root.Values.secrets }}
{{- if has $.component (get $readers $name | default (list $.component)) }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef: { name: {{ $ref.name }}, key: {{ $ref.key | quote }} }
{{- end }}
{{- end }}
{{- end }}

{{/* Security of a container. Only the folders that are mounted can be written. */}}
{{- define "marketplace.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{/* Parts of a pod that all components share. 1000 is the user `node` of the image. */}}
{{- define "marketplace.podSecurity" -}}
automountServiceAccountToken: false
# Otherwise Kubernetes adds variables such as AGENT_PORT for the services of the namespace.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end }}

{{- define "marketplace.image" -}}
image: {{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- end }}

{{- define "marketplace.volumeMounts" -}}
- { name: data, mountPath: /data }
- { name: tmp, mountPath: /tmp }
{{- end }}

{{- define "marketplace.volumes" -}}
- { name: data, emptyDir: { sizeLimit: 64Mi } }
- { name: tmp, emptyDir: { sizeLimit: 1Gi } }
{{- end }}
