{{/*
Deployment and PodDisruptionBudget of a role: { root, component, roles, ports, scaled, probes, drains }. `scaled`: something
else sets the number of replicas. `drains`: it stops being an endpoint of its Service before it stops.
*/}}
{{- define "marketplace.role" -}}
{{- $values := get .root.Values .component -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  {{- include "marketplace.metadata" . | nindent 2 }}
spec:
  {{- if .root.Values.stopped }}
  replicas: 0
  {{- else if not .scaled }}
  replicas: {{ $values.replicas }}
  {{- end }}
  strategy:
    type: RollingUpdate
    rollingUpdate: { maxSurge: 1, maxUnavailable: 0 }
  selector:
    matchLabels:
      {{- include "marketplace.selector" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "marketplace.labels" . | nindent 8 }}
    spec:
      {{- include "marketplace.podSecurity" .root | nindent 6 }}
      # 5 s until no Service sends requests here, then 10 s for requests in progress, or 16 s for an exchange with the
      # receiver of a webhook and its result.
      terminationGracePeriodSeconds: 30
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "marketplace.selector" . | nindent 14 }}
      containers:
        - name: {{ .component }}
          {{- include "marketplace.image" .root | nindent 10 }}
          args: {{ .roles | toJson }}
          env:
            {{- include "marketplace.environment" . | nindent 12 }}
          ports:
            {{- range $name, $port := .ports }}
            - { name: {{ $name }}, containerPort: {{ $port }} }
            {{- end }}
          {{- .probes | nindent 10 }}
          {{- if .drains }}
          lifecycle:
            preStop: { exec: { command: [sleep, "5"] } }
          {{- end }}
          resources:
            {{- toYaml $values.resources | nindent 12 }}
          securityContext:
            {{- include "marketplace.containerSecurity" .root | nindent 12 }}
          volumeMounts:
            {{- include "marketplace.volumeMounts" .root | nindent 12 }}
      volumes:
        {{- include "marketplace.volumes" .root | nindent 8 }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "marketplace.metadata" . | nindent 2 }}
spec:
  maxUnavailable: 1
  selector:
    matchLabels:
      {{- include "marketplace.selector" . | nindent 6 }}
{{- end }}

{{/* Probes of a process without an HTTP API: it answers a scrape. It also does while it waits for its database. */}}
{{- define "marketplace.metricsProbes" -}}
startupProbe:
  httpGet: { path: /metrics, port: metrics }
  periodSeconds: 2
  timeoutSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /metrics, port: metrics }
  periodSeconds: 20
  timeoutSeconds: 5
  failureThreshold: 6
{{- end }}

{{- define "marketplace.service" -}}
apiVersion: v1
kind: Service
metadata:
  {{- include "marketplace.metadata" . | nindent 2 }}
spec:
  type: ClusterIP
  selector:
    {{- include "marketplace.selector" . | nindent 4 }}
  ports:
    - { name: http, port: {{ .port }}, targetPort: http }
{{- end }}
